#if canImport(FoundationNetworking)
import TestSupport

@testable import APIKitLite

@Suite(.limited) struct StreamFlowControlTests {
    // Any other reader has 100 ms. A limit may be lower than the number of bytes from which a sender
    // is delayed by default.
    @Test(arguments: [(4 << 20, 3 << 20, 0.15), (1_000, 501, 0.05)])
    func waitsForAReaderThatComesBack(_ limit: Int, _ count: Int, _ seconds: TimeInterval) {
        let buffer = BodyBuffer(limit: limit)
        buffer.append(Data(count: count))
        let flow = StreamFlowControl(waitsForReader: true)
        // Other tests may keep every thread of a queue busy for longer than the wait.
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: seconds)
            buffer.end(throwing: CancellationError())
            flow.didTake(from: buffer)
        }

        flow.didAppend(to: buffer)
        #expect(buffer.count == 0)
    }
}
#endif
