import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Authentication inside and outside of something that repeats.
@Suite(.limited, .usesSockets) struct AuthenticationAndRetryTests {
    /// Repeats refused requests and lost requests.
    struct Repeating: HTTPSession {
        let next: any HTTPSession

        func send(
            _ request: URLRequest, awaiting options: SendOptions
        ) async throws -> (HTTPBody, HTTPURLResponse) {
            for _ in 0..<2 {
                if let answer = try? await next.send(request, awaiting: options),
                    answer.1.statusCode < 500
                {
                    return answer
                }
            }
            return try await next.send(request, awaiting: options)
        }
    }

    /// The order of the requests: `data old`, `token`.
    private func log(_ network: MockNetwork) -> [String] {
        network.requests.map { request in
            let given = request.header("Authorization")
            return request.request.url!.lastPathComponent
                + (given.map { " " + $0.dropFirst("Bearer ".count) } ?? "")
        }
    }

    private func chain(_ network: MockNetwork, retryIsInside: Bool) -> any HTTPSession {
        let tokens = TokenServer().tokens()
        let wire = network
        return retryIsInside
            ? Repeating(next: wire).authenticated(by: tokens)
            : Repeating(next: wire.authenticated(by: tokens))
    }

    @Test(arguments: [true, false])
    func repeatsADataRequestThatFails(retryIsInside: Bool) async throws {
        let network = MockNetwork()
        network.stub(.get("/data"), .status(503), .status(401), .status(503), .text("there"))
        network.stub(.post("/token"), .json(encoding: Token(access: "new")))
        let session = chain(network, retryIsInside: retryIsInside)

        #expect(try await session.exchange(.test("data")).0.text == "there")
        #expect(log(network) == ["data old", "data old", "token", "data new", "data new"])
    }

    @Test(arguments: [true, false])
    func repeatsARefreshThatFails(retryIsInside: Bool) async throws {
        let network = MockNetwork()
        network.stub(.get("/data").header("Authorization", "Bearer old"), .status(401))
        network.stub(.get("/data").header("Authorization", "Bearer new"), .text("there"))
        network.stub(.post("/token"), .error(.timedOut), .json(encoding: Token(access: "new")))
        let session = chain(network, retryIsInside: retryIsInside)

        #expect(try await session.exchange(.test("data")).0.text == "there")
        // From outside the repetition starts over, with the token that is still the old one.
        #expect(
            log(network)
                == (retryIsInside
                    ? ["data old", "token", "token", "data new"]
                    : ["data old", "token", "data old", "token", "data new"]))
    }

    @Test func refreshesOnceForManyThatAreRepeated() async throws {
        for retryIsInside in [true, false] {
            let failures = Locked(0)
            let server = TokenServer(onData: { _ in
                let fails = failures.withLock { count in
                    count += 1
                    return count % 3 == 0
                }
                if fails { throw URLError(.networkConnectionLost) }
            })
            let session = chain(server.network, retryIsInside: retryIsInside)

            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<300 {
                    group.addTask {
                        // One in some may have bad luck three times.
                        let answer = try? await session.exchange(.test("data"))
                        #expect(answer == nil || answer?.0.text == "Bearer new1")
                    }
                }
            }

            #expect(server.refreshCount == 1)
        }
    }
}
