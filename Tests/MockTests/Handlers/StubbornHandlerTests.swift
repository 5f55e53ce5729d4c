import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// Handlers that ignore their cancellation keep nobody waiting, on any way into a network.
@Suite(.limited, .usesSockets) struct StubbornHandlerTests {
    private static let ways = [Transport.urlProtocol, .direct]

    /// A network whose handler answers when the gate opens.
    private func network(
        _ mayAnswer: Gate, clock: MockClock? = nil, asStub: Bool
    ) -> MockNetwork {
        if asStub {
            let network = MockNetwork(clock: clock)
            network.stub(.any) { _ in
                await Task { await mayAnswer.wait() }.value
                return .text("late")
            }
            return network
        }
        return MockNetwork { _ in
            await Task { await mayAnswer.wait() }.value
            return (HTTPURLResponse(), nil)
        }
    }

    @Test(arguments: ways, [false, true])
    func aCancelledRequestEndsAtOnce(_ transport: Transport, asStub: Bool) async throws {
        let mayAnswer = Gate()
        let network = network(mayAnswer, asStub: asStub)
        let session = try transport.open(network).session
        let load = Task { await session.outcome(of: .test("a")) }
        await network.waitForRequests()

        load.cancel()

        #expect(await load.value == .error(.cancelled))
        #expect(network.requests.map(\.wasCancelled) == [true])
        mayAnswer.open()
    }

    @Test(arguments: ways)
    func aRequestTimesOutAtOnce(_ transport: Transport) async throws {
        let mayAnswer = Gate()
        let clock = MockClock()
        let network = network(mayAnswer, clock: clock, asStub: true)
        let session = try transport.open(network).session
        async let load = session.outcome(of: .test("a"))
        await network.waitForRequests()

        await clock.advance(by: .seconds(60))

        #expect(await load == .error(.timedOut))
        #expect(network.requests.map(\.endTime) == [.seconds(60)])
        mayAnswer.open()
    }
}
