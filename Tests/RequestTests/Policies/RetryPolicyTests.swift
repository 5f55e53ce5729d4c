import APIKitLite
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct RetryPolicyTests {
    private func request(
        _ method: String = "GET", _ headers: [String: String] = [:]
    ) -> URLRequest {
        var request = URLRequest(url: URL(string: "https://api.example.com/a")!)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    private func isRetried(
        _ request: URLRequest, _ outcome: AttemptOutcome,
        policy: RetryPolicy = .standard
    ) -> Bool {
        !policy.schedule(for: [outcome], of: request).isEmpty
    }

    @Test func choosesByStatus() {
        let rows: [(Int, Bool)] = [
            (200, false), (204, false), (301, false), (400, false), (401, false), (404, false),
            (408, true), (409, false), (413, false), (425, false), (429, true), (500, true),
            (501, false), (502, true), (503, true), (504, true), (505, false),
        ]
        for (status, expected) in rows {
            #expect(isRetried(request(), .response(status: status)) == expected, "\(status)")
        }
    }

    @Test func choosesByError() {
        let rows: [(URLError.Code, Bool)] = [
            (.timedOut, true), (.networkConnectionLost, true), (.notConnectedToInternet, true),
            (.cannotConnectToHost, true), (.cannotFindHost, true), (.dnsLookupFailed, true),
            (.cancelled, false), (.badURL, false), (.unsupportedURL, false), (.unknown, false),
            (.secureConnectionFailed, false), (.serverCertificateUntrusted, false),
            (.badServerResponse, false), (.httpTooManyRedirects, false),
            (.userAuthenticationRequired, false), (.dataNotAllowed, false),
        ]
        for (code, expected) in rows {
            #expect(isRetried(request(), .failure(code)) == expected, "\(code.rawValue)")
        }
    }

    @Test func choosesByMethodAndKey() {
        let rows: [(String, String?, Bool)] = [
            ("GET", nil, true), ("HEAD", nil, true), ("PUT", nil, true), ("DELETE", nil, true),
            ("OPTIONS", nil, true), ("TRACE", nil, true), ("POST", nil, false),
            ("PATCH", nil, false), ("QUERY", nil, true), ("POST", "8e03978e", true),
            ("PATCH", "1", true), ("POST", "", false), ("delete", nil, true),
        ]
        for (method, key, expected) in rows {
            let request = request(method, key.map { ["idempotency-key": $0] } ?? [:])

            #expect(
                isRetried(request, .response(status: 503)) == expected,
                "\(method), key \(key ?? "none")")
        }
    }

    @Test func neverSendsAStreamTwice() {
        var request = request("PUT", ["Idempotency-Key": "1"])
        request.httpBodyStream = InputStream(data: Data("body".utf8))

        #expect(!isRetried(request, .response(status: 503)))
    }

    @Test func asksItsOwnSets() {
        let policy = RetryPolicy(methods: ["POST"], statuses: [418], errorCodes: [.badURL])

        #expect(isRetried(request("POST"), .response(status: 418), policy: policy))
        #expect(isRetried(request("POST"), .failure(.badURL), policy: policy))
        #expect(!isRetried(request("GET"), .response(status: 418), policy: policy))
        #expect(!isRetried(request("POST"), .response(status: 503), policy: policy))
        #expect(!isRetried(request("POST"), .failure(.timedOut), policy: policy))
    }

    @Test func sendsAnyMethodIfItNamesNone() {
        let policy = RetryPolicy(methods: nil)

        for method in ["GET", "POST", "PATCH"] {
            let request = request(method)
            #expect(isRetried(request, .response(status: 503), policy: policy), "\(method)")
        }
        #expect(!isRetried(request("POST"), .response(status: 404), policy: policy))
    }

    @Test(arguments: [
        (Int.min, 0), (-1, 0), (0, 0), (1, 0), (2, 1), (3, 2), (5, 4),
    ])
    func makesSoManyAttempts(_ maximum: Int, _ waits: Int) {
        let policy = RetryPolicy(maximumAttempts: maximum)
        let outcomes = Array(repeating: AttemptOutcome.response(status: 503), count: 10)

        #expect(policy.schedule(for: outcomes, of: request()).count == waits)
    }

    @Test func neverTriesAgain() {
        #expect(!isRetried(request(), .response(status: 503), policy: .never))
    }

    @Test func endsAtTheFirstOutcomeThatIsFinal() {
        let outcomes: [AttemptOutcome] = [
            .response(status: 503), .response(status: 200), .response(status: 503),
        ]

        #expect(RetryPolicy.standard.schedule(for: outcomes, of: request()) == [.seconds(0.5)])
        #expect(RetryPolicy.standard.schedule(for: [], of: request()) == [])
    }

    @Test(
        arguments: [
            (0, [0, 0, 0, 0, 0]), (0.25, [0.25, 0.5, 1, 2, 2.5]), (0.5, [0.5, 1, 2, 4, 5]),
            (1, [1, 2, 4, 8, 10]),
            // Out of range.
            (2, [1, 2, 4, 8, 10]), (-1, [0, 0, 0, 0, 0]), (.nan, [0, 0, 0, 0, 0]),
            (.infinity, [1, 2, 4, 8, 10]),
        ] as [(Double, [Double])])
    func doublesTheWaitUpToTheLongest(_ random: Double, _ expected: [Double]) {
        let policy = RetryPolicy(
            maximumAttempts: 6, baseDelay: .seconds(1), maximumDelay: .seconds(10))
        let outcomes = Array(repeating: AttemptOutcome.failure(.timedOut), count: 6)

        let waits = policy.schedule(for: outcomes, of: request(), random: random)

        #expect(waits == expected.map { .seconds($0) })
    }

    /// A rule that retries more than the policy asks for the delay, whatever the policy decides.
    @Test func tellsARuleItsDelay() {
        let busy = HTTPURLResponse.status(503, headers: ["Retry-After": "7"])
        let attempts = [
            RetryAttempt(of: request("POST"), response: .status(409), random: 0.5),
            RetryAttempt(2, of: request(), error: URLError(.badURL), policy: .never),
            RetryAttempt(9, of: request(), response: busy),
            RetryAttempt(of: request(), response: busy),
        ]

        #expect(
            attempts.map(\.backoff) == [.seconds(0.25), .seconds(1), .seconds(30), .seconds(0.5)])
        #expect(
            attempts.map(\.decision) == [.finish, .finish, .finish, .retry(after: .seconds(7))])
    }

    @Test(arguments: [
        (Duration.seconds(-1), Duration.seconds(10)), (.seconds(1), .seconds(-10)),
        (.zero, .seconds(10)),
    ])
    func countsNegativeWaitsAsZero(_ base: Duration, _ maximum: Duration) {
        let policy = RetryPolicy(baseDelay: base, maximumDelay: maximum)

        let waits = policy.schedule(
            for: [.failure(.timedOut), .failure(.timedOut)], of: request())

        #expect(waits == [.zero, .zero])
    }

    @Test func staysFiniteAfterAnyNumberOfAttempts() {
        let longest = Duration.seconds(Int64.max)
        let policy = RetryPolicy(
            maximumAttempts: .max, baseDelay: longest, maximumDelay: longest, deadline: nil)

        let attempt = RetryAttempt(
            .max - 1, of: request(), .failure(.timedOut), elapsed: longest, policy: policy)

        #expect(attempt.decision == .retry(after: .seconds(1_000_000_000)))
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
            maximumAttempts: 4, baseDelay: .seconds(1),
            deadline: deadline.map { Duration.seconds($0) })
        let outcomes = Array(repeating: AttemptOutcome.failure(.timedOut), count: 4)

        // Attempts end at 4, 9, 15 and 23 s.
        let waits = policy.schedule(for: outcomes, of: request(), attemptsTaking: .seconds(4))

        #expect(waits == expected.map { .seconds($0) })
    }

    @Test func isStandardWhereNotTold() {
        #expect(RetryPolicy() == .standard)
        #expect(RetryPolicy.standard.maximumAttempts == 3)
        #expect(RetryPolicy.standard.deadline == .seconds(120))
    }
}
