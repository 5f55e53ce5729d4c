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

    // A limit may be lower than the number of bytes from which a sender is delayed by default.
    @Test func waitsWhileHalfOfTheLimitWaits() {
        let buffer = BodyBuffer(limit: 1_000)
        buffer.append(Data(count: 501))
        let flow = BodyBuffer.$hasSteadyReader.withValue(true) { StreamFlowControl() }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) {
            buffer.end(throwing: CancellationError())
            flow.didTake(from: buffer)
        }

        flow.didAppend(to: buffer)

        #expect(buffer.count == 0)
    }
}
#endif
