import APIKitLite

// What the reports of waits need to know about a network.
extension NetworkCore: StubNetwork {
    var mockClock: MockClock? { time.mockClock }

    var waitState: WaitReport.Network {
        let errors = errors
        return WaitReport.Network(
            requestCount: journal.count.number,
            errors: errors.first.prefix(WaitReport.shownErrors).map(\.description),
            errorCount: errors.count,
            waiting: journal.pending.map(\.waiting))
    }

    var activity: NetworkActivity {
        NetworkActivity(
            eventCount: journal.count.number + journal.ends.number + stubCount
                + (mockClock?.changeCount ?? 0),
            errorCount: unansweredCount,
            isLastUnmatched: journal.last.map(isUnmatched) ?? false,
            // Nothing shows what sleeps on another clock.
            isIdle: journal.pendingCount == 0 && (mockClock?.pending.isEmpty ?? !time.isChosen))
    }

    func beginWait() {
        stallWatch.beginWait()
    }

    func endWait(hasReported: Bool) {
        stallWatch.endWait(hasReported: hasReported)
    }

    /// Returns the report about the oldest request that has waited for the test; nil if there is
    /// none up to an ID.
    func stallReport(upTo id: Int) -> WaitReport? {
        let stalled = journal.pending.first { request in
            request.id <= id && isStalled(request)
        }
        guard let stalled else { return nil }
        let isStream = [.writer, .test].contains(stalled.cause)
        return WaitReport(
            subject: isStream ? .stream(stalled.request.line) : .request(stalled.request.line),
            clock: mockClock?.waitState, networks: [waitState])
    }

    var isStalled: Bool { stallReport(upTo: .max) != nil }

    /// Whether a client still waits for the answer, and it will not come by itself.
    private func isStalled(_ request: PendingRequest) -> Bool {
        // A client on a socket never counts as waiting, because its end is noticed late.
        guard request.client.isWaiting || request.client is SocketClient else { return false }
        return switch request.cause {
        case .release, .handler, .test, .nothing: true
        // In real time, a writer may sleep as long as it likes.
        case .writer: mockClock != nil || !time.isChosen
        case .clock: mockClock != nil
        case .session: false
        }
    }
}
