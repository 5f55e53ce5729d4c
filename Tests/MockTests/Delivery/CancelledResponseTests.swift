import TestSupport

@Suite(.limited) struct CancelledPlaybackTests {
    @Test(arguments: 1...8)
    func aCancellationMayComeWhileAResponseIsGiven(_ reading: Int) async throws {
        let clock = CancellingClock(atReading: reading)
        let network = MockNetwork(clock: clock)
        network.stub(.any, .text("abcdefgh").chunked(by: 1, every: .nanoseconds(1)))
        let mayBegin = Gate()
        let load = Task {
            await mayBegin.wait()
            return try await network.exchange(.test("a")).0.text
        }
        clock.load.withLock { $0 = load }
        mayBegin.open()

        #expect(await urlErrorCode { try await load.value } == .cancelled)
        #expect(network.requests.map(\.wasCancelled) == [true])
        try network.verify()
    }
}

/// A clock that goes on when it is read, and cancels the load when it is read for the n-th time.
private final class CancellingClock: Clock {
    let load = Locked<Task<String, any Error>?>(nil)
    private let readings = Locked(0)
    private let last: Int

    init(atReading last: Int) { self.last = last }

    var minimumResolution: Duration { .nanoseconds(1) }

    var now: MockClock.Instant {
        let count = readings.withLock { readings in
            defer { readings += 1 }
            return readings
        }
        // The first reading is the network's own.
        if count == last { load.withLock { $0 }?.cancel() }
        return MockClock.Instant(offset: .seconds(count))
    }

    func sleep(until deadline: MockClock.Instant, tolerance: Duration?) async throws {}
}
