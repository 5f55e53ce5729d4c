import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct InterceptingTests {
    @Test func theLastClosureSeesTheRequestFirst() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("value"))
        @Sendable func adding(_ letter: String, to request: URLRequest) -> URLRequest {
            var request = request
            let trail = request.value(forHTTPHeaderField: "Trail") ?? ""
            request.setValue(trail + letter, forHTTPHeaderField: "Trail")
            return request
        }
        let session =
            network
            .intercepting { try await $1(adding("a", to: $0)) }
            .intercepting { try await $1(adding("b", to: $0)) }

        _ = try await session.exchange(.test("a"))
        let trail = network.requests.first?.request.value(forHTTPHeaderField: "Trail")
        #expect(trail == "ba")
    }

    @Test func answersItselfSendsTwiceAndThrows() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(503), .text("second"))
        let session = network.intercepting { request, next in
            switch request.url?.path {
            case "/self": return try answer(to: request, "own")
            case "/error": throw TestError(number: 7)
            default:
                let first = try await next(request)
                return first.1.statusCode == 503 ? try await next(request) : first
            }
        }

        #expect(try await session.exchange(.test("self")).0.text == "own")
        await #expect(throws: TestError(number: 7)) { try await session.exchange(.test("error")) }
        #expect(network.requests.isEmpty)
        #expect(try await session.exchange(.test("a")).0.text == "second")
        #expect(network.requests.count == 2)
    }
}
