#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import APIKitLite

@Suite(.timeLimit(.minutes(5))) struct StreamFlowControlTests {
    @Test func waitsForAReaderThatComesBack() {
        let buffer = BodyBuffer(limit: 4 << 20)
        buffer.append(Data(count: 3 << 20))
        let flow = BodyBuffer.$hasSteadyReader.withValue(true) { StreamFlowControl() }
        // Any other reader has 100 ms.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(400)) {
            buffer.end(throwing: CancellationError())
            flow.didTake(from: buffer)
        }

        flow.didAppend(to: buffer)

        #expect(buffer.count == 0)
    }
}
#endif
