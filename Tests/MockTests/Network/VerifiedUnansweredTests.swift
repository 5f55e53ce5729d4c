import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The clients that `verify()` considers to be waiting.
@Suite(.limited, .usesSockets) struct VerifiedUnansweredTests {
    @Test func aRequestCancelledOnArrivalIsNotReported() async throws {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let network = MockNetwork()
        network.stub(.any, .hanging)
        let start = Gate()
        let load = Task {
            await start.wait()
            _ = try await MockURLSession(network).exchange(.test("a"))
        }
        // At once is within the call that notes the request.
        let verification = Task(executorPreference: AtOnceExecutor()) {
            await network.waitForRequests()
            load.cancel()
            try network.verify()
        }
        start.open()

        try await verification.value
        _ = await load.result
        #expect(network.requests.map(\.wasCancelled) == [true])
    }
}
