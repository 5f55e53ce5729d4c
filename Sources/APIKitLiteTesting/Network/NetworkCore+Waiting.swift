import APIKitLite
import Foundation

// What the reports of waits need to know about a network.
extension NetworkCore: WatchedObject {
    var eventCount: Int { journal.eventCount + stubCount }
    var isWaitedFor: Bool { journal.pendingCount > 0 }

    func describe(in report: inout WaitReport) {
        let (errors, pending) = (errors, journal.pending)
        if report.request == nil, let stalled = pending.first(where: isStalled) {
            let isStream = [.writer, .test].contains(stalled.cause)
            report.request = (stalled.request.line, isStream)
        }
        report.networks.append(
            WaitReport.Network(
                requestCount: journal.requestCount,
                errors: errors.first.prefix(WaitReport.shownErrors).map(\.description),
                errorCount: errors.count, waiting: pending.map(\.waiting),
                failure: journal.requests.last?.retriedFailure))
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
