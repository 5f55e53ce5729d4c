#if canImport(FoundationNetworking)
import TestSupport

@testable import APIKitLite

@Suite(.limited) struct StreamFlowControlTests {
    // Any other reader has 100 ms. A limit may be lower than the number of bytes from which a sender
    // is delayed by default.
    @Test(arguments: [(4 << 20, 3 << 20, 400), (1_000, 501, 50)])
    func waitsForAReaderThatComesBack(_ limit: Int, _ count: Int, _ milliseconds: Int) {
        let buffer = BodyBuffer(limit: limit)
        buffer.append(Data(count: count))
        let flow = StreamFlowControl(waitsForReader: true)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
            buffer.end(throwing: CancellationError())
            flow.didTake(from: buffer)
        }

        flow.didAppend(to: buffer)
        #expect(buffer.count == 0)
    }
}
#endif
