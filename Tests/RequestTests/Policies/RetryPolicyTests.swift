import TestSupport

@testable import APIKitLite

@Suite(.limited) struct RetryPolicyTests {
    private func request(_ method: String = "GET", key: String? = nil) -> URLRequest {
        .plain("https://h/a", method: method, headers: key.map { ["idempotency-key": $0] } ?? [:])
    }

    private func isRetried(
        _ request: URLRequest, _ outcome: AttemptOutcome, policy: RetryPolicy = .standard
    ) -> Bool {
        !policy.schedule(for: [outcome], of: request).isEmpty
    }

    @Test func choosesByStatus() {
        for status in 200..<600 {
            let expected = [408, 429, 500, 502, 503, 504].contains(status)
            #expect(isRetried(request(), .response(status: status)) == expected, "\(status)")
        }
    }

    @Test func choosesByError() {
        let retried: [URLError.Code] = [
            .timedOut, .networkConnectionLost, .notConnectedToInternet, .cannotConnectToHost,
            .cannotFindHost, .dnsLookupFailed,
        ]
        let others: [URLError.Code] = [
            .cancelled, .badURL, .unsupportedURL, .unknown, .secureConnectionFailed,
            .serverCertificateUntrusted, .badServerResponse, .httpTooManyRedirects,
            .userAuthenticationRequired, .dataNotAllowed,
        ]
        for code in retried + others {
            #expect(isRetried(request(), .failure(code)) == retried.contains(code), "\(code)")
        }
    }

    @Test func choosesByMethodAndKey() {
        let rows: [(String, String?, Bool)] =
            ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY", "delete"]
            .map { ($0, nil, true) } + [
                ("POST", nil, false), ("PATCH", nil, false), ("POST", "8e03978e", true),
                ("PATCH", "1", true), ("POST", "", false),
            ]
        for (method, key, expected) in rows {
            let isRetried = isRetried(request(method, key: key), .response(status: 503))
            #expect(isRetried == expected, "\(method) \(key ?? "")")
        }
        var stream = request("PUT", key: "1")
        stream.httpBodyStream = InputStream(data: Data("body".utf8))
        #expect(!isRetried(stream, .response(status: 503)))
    }

    @Test func asksItsOwnSets() {
        let own = RetryPolicy(methods: ["POST"], statuses: [418], errorCodes: [.badURL])
        let any = RetryPolicy(methods: nil)
        let rows: [(RetryPolicy, String, AttemptOutcome, Bool)] = [
            (own, "POST", .response(status: 418), true), (own, "POST", .failure(.badURL), true),
            (own, "GET", .response(status: 418), false),
            (own, "POST", .response(status: 503), false), (own, "POST", .failure(.timedOut), false),
            (any, "GET", .response(status: 503), true), (any, "POST", .response(status: 503), true),
            (any, "PATCH", .response(status: 503), true),
            (any, "POST", .response(status: 404), false),
            (.never, "GET", .response(status: 503), false),
        ]
        for (policy, method, outcome, expected) in rows {
            let isRetried = isRetried(request(method), outcome, policy: policy)
            #expect(isRetried == expected, "\(method) \(outcome)")
        }
    }

    @Test(arguments: [(Int.min, 0), (-1, 0), (0, 0), (1, 0), (2, 1), (3, 2), (5, 4)])
    func makesSoManyAttempts(_ maximum: Int, _ waits: Int) {
        let policy = RetryPolicy(maximumAttempts: maximum)
        let outcomes = Array(repeating: AttemptOutcome.response(status: 503), count: 10)

        #expect(policy.schedule(for: outcomes, of: request()).count == waits)
    }

    @Test func doublesTheWaitUpToTheLongest() {
        let outcomes = Array(repeating: AttemptOutcome.failure(.timedOut), count: 6)
        func waits(_ base: Double, upTo maximum: Double, _ random: Double = 1) -> [Duration] {
            RetryPolicy(
                maximumAttempts: 6, baseDelay: .seconds(base), maximumDelay: .seconds(maximum)
            ).schedule(for: outcomes, of: request(), random: random)
        }
        for (random, expected): (Double, [Double]) in [
            (0, [0, 0, 0, 0, 0]), (0.25, [0.25, 0.5, 1, 2, 2.5]), (0.5, [0.5, 1, 2, 4, 5]),
            (1, [1, 2, 4, 8, 10]),
            // Out of range.
            (2, [1, 2, 4, 8, 10]), (-1, [0, 0, 0, 0, 0]), (.nan, [0, 0, 0, 0, 0]),
            (.infinity, [1, 2, 4, 8, 10]),
        ] { #expect(waits(1, upTo: 10, random) == expected.map { .seconds($0) }) }
        for (base, maximum) in [(-1.0, 10.0), (1, -10), (0, 10)] {
            #expect(waits(base, upTo: maximum) == Array(repeating: .zero, count: 5))
        }
    }

    @Test func tellsARuleItsDelay() {
        let busy = HTTPURLResponse.status(503, headers: ["Retry-After": "7"])
        let attempts = [
            RetryAttempt(of: request("POST"), response: .status(409), random: 0.5),
            RetryAttempt(2, of: request(), error: URLError(.badURL), policy: .never),
            RetryAttempt(9, of: request(), response: busy),
            RetryAttempt(of: request(), response: busy),
            // An error counts more than the response beside it.
            RetryAttempt(of: request(), response: busy, error: URLError(.timedOut)),
        ]

        #expect(attempts.map(\.backoff) == [0.25, 1, 30, 0.5, 0.5].map { .seconds($0) })
        #expect(
            attempts.map(\.decision) == [
                .finish, .finish, .finish, .retry(after: .seconds(7)), .retry(after: .seconds(0.5)),
            ])
    }

    @Test func staysFiniteAfterAnyNumberOfAttempts() {
        let longest = Duration.seconds(Int64.max)
        let policy = RetryPolicy(
            maximumAttempts: .max, baseDelay: longest, maximumDelay: longest, deadline: nil)

        let attempt = RetryAttempt(
            .max - 1, of: request(), .failure(.timedOut), elapsed: longest, policy: policy)

        #expect(attempt.decision == .retry(after: .seconds(1_000_000_000)))
    }

    @Test func comparesAnyDelayWithTheDeadline() {
        let (longest, policy) = (Duration.seconds(Int64.max), RetryPolicy())
        #expect(!policy.allows(longest * 2, after: longest * 2))
        #expect(policy.allows(longest * -2, after: .zero))
    }

    @Test(arguments: [Int.min, -1, 0])
    func countsNoAttemptAsTheFirst(_ number: Int) {
        let attempt = RetryAttempt(number, of: request(), .failure(.timedOut))

        #expect(attempt.decision == .retry(after: .seconds(0.5)))
        #expect(attempt.number == 1)
    }

    @Test(
        arguments: [
            (nil, [1, 2, 4]), (20, [1, 2, 4]), (19.1, [1, 2, 4]), (19, [1, 2]), (11.1, [1, 2]),
            (11, [1]), (5.1, [1]), (5, []), (0, []), (-1, []),
        ] as [(Double?, [Double])])
    func neverWaitsUntilTheDeadline(_ deadline: Double?, _ expected: [Double]) {
        let policy = RetryPolicy(
            maximumAttempts: 4, baseDelay: .seconds(1), deadline: deadline.map { .seconds($0) })
        let outcomes = Array(repeating: AttemptOutcome.failure(.timedOut), count: 4)

        // Attempts end at 4, 9, 15 and 23 s.
        let waits = policy.schedule(for: outcomes, of: request(), attemptsTaking: .seconds(4))

        #expect(waits == expected.map { .seconds($0) })
    }

    @Test func isStandardWhereNotTold() {
        #expect(RetryPolicy() == .standard)
        #expect(RetryPolicy.standard.maximumAttempts == 3)
        #expect(RetryPolicy.standard.deadline == .seconds(120))
        #expect(RetryPolicy.never.deadline == nil)
    }
}
