import APIKitLite
import Foundation

// What hang reports need to know about a network.
extension NetworkCore: WatchedObject {
    var eventCount: Int { journal.eventCount }

    var hasBusyReader: Bool {
        // Nothing shows what a client on a socket reads, so such a client counts as a busy reader.
        journal.pending.contains { !($0.isReaderDone ?? $0.client.isWaiting) }
    }

    var wait: String? {
        journal.pending.first.map {
            "\($0.request.line) has waited for its response for \(HangReporter.time)."
        }
    }

    static let noRequest =
        "The network received no request. Perhaps no load was started or awaited, or it "
        + "uses a different session. Pass it network, or network.urlSession."

    var details: [String] {
        let (pending, errors) = (journal.pending, unanswered.withLock { $0 })
        if journal.requestCount == 0 { return [Self.noRequest] }
        var lines = errors.count > 0 ? ["\(errors.count.requests) got no response:"] : []
        for error in errors.first.prefix(2) {
            lines += error.description.components(separatedBy: "\n").map { "  \($0)" }
        }
        if errors.count > 2 { lines.append("  and \(errors.count - 2) more.") }
        // Add up to five lines, one for each stub and reason, sorted by the oldest request of each.
        let stubs = stubs
        let groups = Dictionary(grouping: pending) { $0.state(of: "", among: stubs) }.values
            .sorted { $0[0].id < $1[0].id }
        lines += groups.prefix(5).map { requests in
            let state = requests[0].state(of: requests.count.requests, among: stubs)
            let remedy = requests[0].remedy.map { " Call \($0)." } ?? ""
            return "\(state.prefix(1).uppercased())\(state.dropFirst()).\(remedy)"
        }
        if groups.count > 5 { lines.append("The requests of \(groups.count - 5) more stubs wait.") }
        return lines
    }
}

extension PendingRequest {
    /// Returns why requests of one stub, or of the network's closure, are waiting, such as "the
    /// stub for … holds 2 requests".
    fileprivate func state(of requests: String, among stubs: [Stub]) -> String {
        let stub =
            stubs.first { $0.number == request.stub }.map { "the stub for \($0.label)" }
            ?? (request.stub == nil ? "the closure of the network" : "a removed stub")
        return switch reason {
        case .release: "\(stub) holds \(requests)"
        case .handler where request.stub == nil: "\(stub) has not returned for \(requests)"
        case .handler: "the handler of \(stub) has not returned for \(requests)"
        case .session: "the session to which \(stub) passes \(requests) has not responded"
        case .clock: "\(stub) delays \(requests)"
        case .writer: "the writer of \(stub) has not returned for \(requests)"
        case .reader: "\(stub) has sent a piece, and the client of \(requests) does not read"
        case .test: "\(stub) keeps the stream of \(requests) open"
        case .nothing: "\(stub) never responds to \(requests): its response is .hanging"
        }
    }

    /// The call that the test can make to end the wait; nil if there is no such call.
    fileprivate var remedy: String? {
        switch reason {
        case .release: "stub.release()"
        case .test: "stub.finish()"
        case .handler, .session, .clock, .writer, .reader, .nothing: nil
        }
    }

    /// The finding of `verify()` for a pending request.
    func finding(among stubs: [Stub]) -> String {
        let end = remedy.map { "Call \($0), or cancel the request," } ?? "Await or cancel it"
        return
            "\(request.line): \(state(of: "it", among: stubs)), and its client still waits. \(end) before "
            + "the test ends."
    }
}

extension Int {
    /// The number with its noun, such as "2 requests".
    var requests: String { "\(self) \(self == 1 ? "request" : "requests")" }
}
