import APIKitLite
import Foundation

// What the reports of waits need to know about a network.
extension NetworkCore: WatchedObject {
    var eventCount: Int { journal.eventCount + stubCount }
    var isWaitedFor: Bool { journal.pendingCount > 0 }

    var wait: String? {
        journal.pending.first(where: isStalled).map { pending in
            let isStream = [.writer, .test].contains(pending.cause)
            return "\(pending.request.line) has waited for "
                + "\(isStream ? "the end of its stream" : "its answer") for \(WaitWatch.time)."
        }
    }

    static let noRequest =
        "The network received no request. Perhaps no load was started or awaited, or the load "
        + "uses another session than the network's."

    var details: [String] {
        let (pending, errors) = (journal.pending, errors)
        if journal.requestCount == 0 { return [Self.noRequest] }
        var lines = errors.count > 0 ? ["\(errors.count.requests) got no answer:"] : []
        for error in errors.first.prefix(2) {
            lines += error.description.components(separatedBy: "\n").map { "  \($0)" }
        }
        if errors.count > 2 { lines.append("  and \(errors.count - 2) more.") }
        // One line for each stub and cause, in the order of the first requests.
        let groups = Dictionary(grouping: pending) { $0.line(of: 1) }.values
            .sorted { $0[0].id < $1[0].id }
        lines += groups.prefix(5).map { $0[0].line(of: $0.count) }
        if groups.count > 5 { lines.append("The requests of \(groups.count - 5) more stubs wait.") }
        if let clock = time.mockClock {
            if clock.isIdle, let failure = journal.requests.last?.retriedFailure {
                lines.append("\(failure) Does retrying(clock:) have this clock?")
            }
        } else if pending.contains(where: { $0.cause == .test }) {
            lines.append(
                "If timingOut(idle:) has a MockClock, pass it to MockNetwork(clock:), too. Then this "
                    + "report shows its deadlines.")
        }
        return lines
    }

    /// Whether a client waits for an answer that needs an action of the test.
    private func isStalled(_ request: PendingRequest) -> Bool {
        // A client on a socket never counts as waiting, because its end is noticed late.
        guard request.client.isWaiting || request.client is SocketClient else { return false }
        return switch request.cause {
        case .release, .handler, .test, .nothing: true
        // In real time, a writer may sleep as long as it likes.
        case .writer: time.mockClock != nil || !time.isChosen
        case .clock: time.mockClock != nil
        case .session: false
        }
    }
}

extension PendingRequest {
    /// What so many requests of one stub wait for.
    fileprivate func line(of count: Int) -> String {
        let (requests, them) = (count.requests, count == 1 ? "it" : "them")
        let stub = request.stub.map { "the stub for \($0.label)" } ?? "the closure of the network"
        let sentence = stub.prefix(1).uppercased() + stub.dropFirst()
        return switch cause {
        case .release: "\(sentence) holds \(requests). To release \(them), call stub.release()."
        case .handler where request.stub == nil: "\(sentence) has not returned for \(requests)."
        case .handler: "The handler of \(stub) has not returned for \(requests)."
        case .session: "The session to which \(stub) passes \(requests) has not answered."
        case .clock: "\(sentence) delays \(requests)."
        case .writer: "The writer of \(stub) has not returned for \(requests)."
        case .test:
            "\(sentence) keeps the \(count == 1 ? "stream" : "streams") of \(requests) open. "
                + "To end \(them), call stub.finish()."
        case .nothing: "\(sentence) never answers \(requests): its response is .hanging."
        }
    }
}

extension Int {
    /// The number of requests, as text.
    var requests: String { "\(self) \(self == 1 ? "request" : "requests")" }
}

extension RecordedRequest {
    /// A sentence about the answer, if it is a failure that a policy retries.
    fileprivate var retriedFailure: String? {
        if let error = error as? URLError, RetryPolicy.transientErrorCodes.contains(error.code) {
            return "The last request failed: \(error.sentence)"
        }
        guard let response, RetryPolicy.transientStatuses.contains(response.statusCode) else {
            return nil
        }
        let wait = response.value(forHTTPHeaderField: "Retry-After").map { ", Retry-After: \($0)" }
        let status = HTTPStatus.describe(response.statusCode)
        return "The last request was answered with \(status)\(wait ?? "")."
    }
}

extension MockNetwork {
    /// Reports what waits for the test.
    package var watch: WaitWatch { core.watch }
}
