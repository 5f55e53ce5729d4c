import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Rules of an app, which decide in place of a retry policy.
@Suite(.limited) struct RetryRuleTests {
    typealias Rule = @Sendable (RetryAttempt) -> RetryDecision

    private func session(
        _ network: MockNetwork, policy: RetryPolicy = .standard, _ rule: @escaping Rule
    ) -> some HTTPSession {
        network.retrying(policy, clock: ImmediateClock(), deciding: rule, random: { 1 })
    }

    private static let isJSON: @Sendable (Data) -> Bool = {
        (try? JSONSerialization.jsonObject(with: $0, options: .fragmentsAllowed)) != nil
    }

    private static let rules: [(Rule, [MockResponse], sent: Int)] = [
        // What the policy decides.
        ({ $0.decision }, [.status(503), .status(200)], 2),
        ({ $0.decision }, [.status(202).header("Retry-After", "1"), .status(200)], 1),
        // 202 only with Retry-After.
        (retryingAccepted, [.status(202).header("Retry-After", "1"), .status(200)], 2),
        (retryingAccepted, [.status(202), .status(200)], 1),
        (retryingAccepted, [.status(503), .status(200)], 2),
        // A 2xx whose body is no JSON.
        (retryingText, [.text("busy"), .json("{}")], 2),
        (retryingText, [.json("{}"), .status(200)], 1),
        // 429 with a count of its own, and no other status.
        (
            { attempt in
                attempt.response?.statusCode == 429 && attempt.number < 6
                    ? .retry(after: attempt.retryAfter ?? .seconds(5)) : .finish
            }, Array(repeating: .status(429), count: 7), 6
        ),
        // An endpoint that is never sent again.
        (
            { $0.request.url?.path == "/a" ? .finish : $0.decision }, [.status(503), .status(200)],
            1
        ),
        // Errors of any type, and a delay below zero.
        (
            { $0.error == nil ? .finish : .retry(after: .seconds(-1)) },
            [.error(TestError(number: 1)), .error(.badURL), .status(200)], 3
        ),
    ]

    private static let retryingAccepted: Rule = { attempt in
        guard attempt.response?.statusCode == 202, let delay = attempt.retryAfter
        else { return attempt.decision }
        return .retry(after: delay)
    }

    private static let retryingText: Rule = { attempt in
        guard attempt.response?.statusCode == 200, let data = attempt.data, !isJSON(data)
        else { return attempt.decision }
        return .retry(after: .zero)
    }

    @Test(arguments: rules.indices) func decides(_ index: Int) async throws {
        let (rule, responses, count) = Self.rules[index]
        let network = MockNetwork()
        let replies = Locked(responses)
        network.stub(.get("/a")) { _ in replies.withLock { $0.removeFirst() } }

        _ = await session(network, rule).outcome(of: .test("a"))
        #expect(network.requests.count == count)
    }

    @Test func seesTheAttemptThatHasEnded() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(503), .error(.timedOut), .text("body"))
        let attempts = Locked<[RetryAttempt]>([])
        let session = session(network) { attempt in
            attempts.withLock { $0.append(attempt) }
            return attempt.decision
        }

        _ = try await session.exchange(.test("a"))
        let all = attempts.withLock { $0 }
        #expect(all.map(\.number) == [1, 2, 3])
        #expect(all.map(\.response?.statusCode) == [503, nil, 200])
        #expect(all.map(\.error).map { ($0 as? URLError)?.code } == [nil, .timedOut, nil])
        #expect(all.map(\.data?.text) == ["", nil, "body"])
        #expect(all.map(\.elapsed) == [.zero, .seconds(0.5), .seconds(1.5)])
        #expect(
            all.map(\.decision) == [
                .retry(after: .seconds(0.5)), .retry(after: .seconds(1)), .finish,
            ])
        #expect(all.allSatisfy { $0.request.url?.path == "/a" })
    }

    @Test func endsAtTheDeadline() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(503), times: .any)
        let session = session(network, policy: RetryPolicy(deadline: .seconds(100))) { _ in
            .retry(after: .seconds(30))
        }

        let (_, response) = try await session.exchange(.test("a"))
        #expect(response.statusCode == 503)
        #expect(network.requests.count == 4)
    }

    @Test func neverSendsAStreamTwice() async throws {
        @Sendable func upload() -> URLRequest {
            var request = URLRequest.test("a", method: "PUT")
            request.httpBodyStream = InputStream(data: Data("body".utf8))
            return request
        }
        let network = MockNetwork()
        network.stub(.any, .status(503), times: .any)

        _ = try await session(network) { _ in .retry(after: .zero) }.exchange(upload())
        #expect(network.requests.count == 1)
        let other = session(network) { _ in .retry(after: .zero, with: upload()) }
        _ = try await other.exchange(.test("a"))
        #expect(network.requests.count == 2)
    }

    @Test func waitsAsThePolicyWould() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(409), times: .any)
        let clock = ImmediateClock()
        let randoms = Locked([0.5, 0, 1, 0.25, 1])
        let session = network.retrying(
            .standard, clock: clock,
            deciding: { $0.number < 5 ? .retry(after: $0.retryAfter ?? $0.backoff) : .finish },
            random: { randoms.withLock { $0.removeFirst() } })

        _ = try await session.exchange(.test("a"))
        #expect(network.requests.count == 5)
        // 0.5 × 0.5 s, 0 × 1 s, 1 × 2 s, and 0.25 × 4 s.
        #expect(clock.now.offset == .seconds(3.25))
    }

    @Test func decidesFromTheHeadersOfAStream() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(202).header("Retry-After", "1"), .text("body"))
        let session = session(network, Self.retryingAccepted)

        let (body, response) = try await session.stream(.test("a"))
        #expect(response.statusCode == 200)
        #expect(try await body.collect().text == "body")
        #expect(network.requests.count == 2)
    }
}
