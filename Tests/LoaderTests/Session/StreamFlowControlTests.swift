#if canImport(FoundationNetworking)
import TestSupport

@testable import APIKitLite

@Suite(.limited) struct StreamFlowControlTests {
    private let failuresOfAll = Locked(0)
    private let waits = Locked(0)

    /// Returns the flow of a reader that never comes.
    private func flow(waitsForReader: Bool) -> StreamFlowControl {
        StreamFlowControl(waitsForReader: waitsForReader, failuresOfAll: failuresOfAll) { _ in
            waits.next()
            return .timedOut
        }
    }

    private func buffer(_ count: Int, limit: Int) -> BodyBuffer {
        let buffer = BodyBuffer(limit: limit)
        buffer.append(Data(count: count))
        return buffer
    }

    // A limit may be lower than the number of bytes above which a sender is delayed by default.
    @Test(arguments: [(4 << 20, 2 << 20), (1_000, 500)], [(true, 100), (false, 10)])
    func waitsOnceAfterEachPiece(_ limits: (Int, Int), _ most: (waitsForReader: Bool, waits: Int)) {
        let buffer = buffer(limits.1, limit: limits.0)
        let flow = flow(waitsForReader: most.waitsForReader)
        flow.didAppend(to: buffer)
        #expect(waits.withLock { $0 } == 0)

        buffer.append(Data(count: 1))
        flow.didAppend(to: buffer)
        #expect(waits.withLock { $0 } == 1)
        for round in 1...2 {
            for _ in 1...200 { flow.didAppend(to: buffer) }
            #expect(waits.withLock { $0 } == round * most.waits)
            flow.didTake(from: buffer)
        }
    }

    /// The threads of all readers may wait for the same queue. Then one wait after another for each
    /// of them would keep the queue, and the whole process, waiting.
    @Test func waitsNoLongerIfNoReaderRuns() {
        let buffer = buffer(501, limit: 1_000)
        let flows = (0..<20).map { flow(waitsForReader: $0 == 0) }
        for flow in flows { for _ in 1...200 { flow.didAppend(to: buffer) } }
        #expect(waits.withLock { $0 } == 100)
        flows[1].didTake(from: buffer)
        for flow in flows { for _ in 1...200 { flow.didAppend(to: buffer) } }
        #expect(waits.withLock { $0 } == 200)
    }

    @Test func theReaderEndsAWait() {
        let buffer = buffer(501, limit: 1_000)
        let (isWaiting, result) = (DispatchSemaphore(value: 0), Locked<DispatchTimeoutResult?>(nil))
        let flow = StreamFlowControl(waitsForReader: false) { semaphore in
            isWaiting.signal()
            let success = semaphore.wait(timeout: .now() + 900)
            result.withLock { $0 = success }
            return success
        }
        let reader = Thread {
            isWaiting.wait()
            flow.didTake(from: buffer)
        }
        reader.start()

        flow.didAppend(to: buffer)
        #expect(result.withLock { $0 } == .success)
    }
}
#endif
