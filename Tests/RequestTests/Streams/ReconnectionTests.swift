import Foundation
import TestSupport
import Testing

@testable import APIKitLite

@Suite(.limited) struct ReconnectionTests {
    private typealias Decision = EventStream.Reconnection.Decision

    /// How a connection ended.
    private enum Ending {
        case complete
        case response(status: Int, headers: [String: String] = [:])
        case failure(URLError.Code)
        /// The response was no event stream.
        case unusable

        var error: APIRequestError? {
            switch self {
            case .complete: nil
            case .response(let status, let headers):
                APIRequestError(
                    stage: .validate,
                    response: HTTPURLResponse(
                        url: URL(string: "https://api.example.com/events")!, statusCode: status,
                        httpVersion: nil, headerFields: headers),
                    underlying: UnacceptableStatus(statusCode: status, accepted: [200..<201]))
            case .failure(let code):
                APIRequestError(stage: .transport, underlying: URLError(code))
            case .unusable: APIRequestError(stage: .parse, underlying: StreamError.compressed)
            }
        }
    }

    private let policy = RetryPolicy(
        maximumAttempts: 4, baseDelay: .seconds(1), maximumDelay: .seconds(10), deadline: nil)

    private func request(
        _ method: String? = "GET", _ headers: [String: String] = [:]
    ) -> URLRequest {
        var request = URLRequest(url: URL(string: "https://api.example.com/events")!)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    private func decision(
        of reconnection: EventStream.Reconnection, after ending: Ending,
        _ request: URLRequest? = nil,
        elapsed: Duration = .zero, now: Date = Date(), random: Double = 1
    ) -> Decision {
        reconnection.decision(
            after: ending.error, of: request ?? self.request(), elapsed: elapsed, now: now,
            random: random)
    }

    private func reconnection(
        _ policy: RetryPolicy, attempts: Int = 1, retry: Duration? = nil
    ) -> EventStream.Reconnection {
        var reconnection = EventStream.Reconnection(policy: policy)
        reconnection.attempts = attempts
        reconnection.retry = retry
        return reconnection
    }

    @Test func decidesByTheEndOfTheConnection() {
        let rows: [(Ending, Decision)] = [
            (.complete, .reconnect(after: .seconds(1))),
            (.response(status: 204), .end),
            // The statuses of the policy, with and without a delay that the server asks for.
            (.response(status: 503), .reconnect(after: .seconds(1))),
            (.response(status: 429, headers: ["Retry-After": "7"]), .reconnect(after: .seconds(7))),
            (.response(status: 503, headers: ["retry-after": "60"]), .fail),
            // Any other status is final, and so is a redirect that names no location.
            (.response(status: 200), .fail), (.response(status: 205), .fail),
            (.response(status: 301), .fail), (.response(status: 307), .fail),
            (.response(status: 400), .fail), (.response(status: 401), .fail),
            (.response(status: 404, headers: ["Retry-After": "7"]), .fail),
            (.response(status: 501), .fail),
            (.failure(.networkConnectionLost), .reconnect(after: .seconds(1))),
            (.failure(.cannotConnectToHost), .reconnect(after: .seconds(1))),
            (.failure(.timedOut), .reconnect(after: .seconds(1))),
            (.failure(.serverCertificateUntrusted), .fail),
            (.failure(.httpTooManyRedirects), .fail), (.failure(.cancelled), .fail),
            (.failure(.badURL), .fail),
            (.unusable, .fail),
        ]
        for (ending, expected) in rows {
            let decision = decision(of: reconnection(policy), after: ending)

            #expect(decision == expected, "\(ending)")
        }
    }

    @Test func sendsOnlyAGetAgain() {
        let endings: [(Ending, Decision)] = [
            (.complete, .end), (.response(status: 204), .end), (.response(status: 503), .fail),
            (.failure(.networkConnectionLost), .fail), (.unusable, .fail),
        ]
        let key = ["Idempotency-Key": "1"]
        var body = request()
        body.httpBodyStream = InputStream(data: Data("a".utf8))
        let all = RetryPolicy(deadline: nil, methods: ["POST", "HEAD", "PUT"])
        for request in [
            request("POST"), request("HEAD"), request("PUT"), request("POST", key), body,
        ] {
            for (ending, expected) in endings {
                let decision = decision(of: reconnection(all), after: ending, request)

                #expect(decision == expected, "\(request.httpMethod ?? "") \(ending)")
            }
        }
        for method in ["GET", "get", nil] {
            let decision = decision(of: reconnection(all), after: .complete, request(method))

            #expect(decision != .end, "\(method ?? "none")")
        }
    }

    @Test func waitsLongerAfterEachConnectionWithoutAnEvent() {
        let rows: [(attempts: Int, retry: Duration?, random: Double, Decision)] = [
            // After an event, as after the first connection without one.
            (0, nil, 1, .reconnect(after: .seconds(1))),
            (1, nil, 1, .reconnect(after: .seconds(1))),
            (2, nil, 1, .reconnect(after: .seconds(2))),
            (3, nil, 1, .reconnect(after: .seconds(4))),
            (4, nil, 1, .fail), (5, nil, 1, .fail),
            // The server's value is a lower bound, even above the policy's maximum.
            (0, .seconds(3), 1, .reconnect(after: .seconds(4))),
            (2, .seconds(3), 1, .reconnect(after: .seconds(5))),
            (3, .seconds(3), 1, .reconnect(after: .seconds(7))),
            (4, .seconds(3), 1, .fail),
            (1, .seconds(60), 0, .reconnect(after: .seconds(60))),
            (1, .milliseconds(400), 1, .reconnect(after: .milliseconds(800))),
            (0, .zero, 1, .reconnect(after: .milliseconds(100))),
            (3, .zero, 1, .reconnect(after: .milliseconds(100))),
            // Jitter.
            (2, .seconds(3), 0.5, .reconnect(after: .seconds(4))),
            (2, .seconds(3), 0, .reconnect(after: .seconds(3))),
            (2, nil, 0, .reconnect(after: .milliseconds(100))),
        ]
        for (attempts, retry, random, expected) in rows {
            for ending in [Ending.complete, .failure(.networkConnectionLost)] {
                let decision = decision(
                    of: reconnection(policy, attempts: attempts, retry: retry), after: ending,
                    random: random)

                #expect(
                    decision == expected, "\(attempts), \(String(describing: retry)), \(random)")
            }
        }
    }

    @Test func endsBeforeTheDeadline() {
        let rows: [(Duration, Decision)] = [
            (.zero, .reconnect(after: .seconds(1))),
            (.seconds(4), .reconnect(after: .seconds(1))),
            (.seconds(5), .fail), (.seconds(6), .fail),
        ]
        var policy = policy
        policy.deadline = .seconds(6)
        for (elapsed, expected) in rows {
            let decision = decision(
                of: reconnection(policy), after: .complete, elapsed: elapsed)

            #expect(decision == expected, "\(elapsed)")
        }
    }

    @Test func readsADateInRetryAfter() {
        let headers = ["Retry-After": "Sun, 06 Nov 1994 08:49:44 GMT"]

        let decision = decision(
            of: reconnection(policy), after: .response(status: 503, headers: headers),
            now: Date(timeIntervalSince1970: 784_111_777))

        #expect(decision == .reconnect(after: .seconds(7)))
    }

    @Test func asksThePolicyWhetherItReconnects() {
        let rows: [(RetryPolicy, complete: Decision)] = [
            (.never, .end),
            // After a complete body, the client connects again under every policy.
            (
                RetryPolicy(baseDelay: .seconds(1), statuses: [], errorCodes: []),
                .reconnect(after: .seconds(1))
            ),
        ]
        for (policy, complete) in rows {
            let reconnection = reconnection(policy)

            #expect(decision(of: reconnection, after: .complete) == complete)
            #expect(decision(of: reconnection, after: .failure(.timedOut)) == .fail)
            #expect(decision(of: reconnection, after: .response(status: 503)) == .fail)
        }
        #expect(decision(of: reconnection(.never, attempts: 0), after: .complete) == .end)
    }

    @Test func sendsTheLastEventID() throws {
        let rows: [(id: String, sent: String?)] = [
            ("", nil), ("7", "7"), ("a b", "a b"), ("é…", "é…"), ("{\"n\": 1}", "{\"n\": 1}"),
        ]
        for (id, sent) in rows {
            let request = try EventStream.Reconnection(policy: .eventStream, lastEventID: id)
                .request(request())

            #expect(request.value(forHTTPHeaderField: "Last-Event-ID") == sent)
            #expect(request.value(forHTTPHeaderField: "Accept") == "text/event-stream")
            #expect(request.value(forHTTPHeaderField: "Cache-Control") == "no-cache")
            #expect(request.cachePolicy == .reloadIgnoringLocalCacheData)
        }
    }

    @Test func keepsTheHeadersOfTheRequest() throws {
        var original = request(
            "GET", ["accept": "application/json", "cache-control": "no-cache", "X-A": "b"])
        original.cachePolicy = .returnCacheDataElseLoad
        original.setValue("3", forHTTPHeaderField: "Last-Event-ID")

        let first = try EventStream.Reconnection(policy: .eventStream).request(original)
        let second = try EventStream.Reconnection(policy: .eventStream, lastEventID: "4").request(
            original)

        #expect(first == original)
        #expect(first.cachePolicy == .returnCacheDataElseLoad)
        #expect(first.value(forHTTPHeaderField: "Last-Event-ID") == "3")
        #expect(second.value(forHTTPHeaderField: "Last-Event-ID") == "4")
        #expect(second.value(forHTTPHeaderField: "X-A") == "b")
    }

    @Test(arguments: ["a\nX-Admin: 1", "a\r", "a\r\nb", "a\0"])
    func refusesAnIDThatIsNoHeader(_ id: String) {
        let error = #expect(throws: RequestBuildingError.self) {
            try EventStream.Reconnection(policy: .eventStream, lastEventID: id).request(request())
        }
        #expect(error?.description.contains("\"Last-Event-ID\"") == true)
    }
}
