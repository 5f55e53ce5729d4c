import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

private protocol ShopRequest: APIRequest {}

extension ShopRequest {
    var redaction: Redaction { .shop }
}

extension Redaction {
    static let shop = Redaction.standard.adding("birthday", "X-Customer")
}

/// The samples of Observing.md.
@Suite(.limited, .usesSockets) struct ObservingSamples {
    typealias UserRequest = TestingSamples.UserRequest

    @Test func reportsEachAttempt() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(503), .json(#"{"name": "Emma"}"#))
        let (lines, log) = AsyncStream.makeStream(of: String.self)
        let session = MockURLSession(network)
            .observed(clock: MockClock()) { log.yield("\($0)") }
            .retrying(random: { 0 })

        _ = try await session.load(UserRequest(), 42)

        log.finish()
        let line = "GET https://api.example.com/users/42"
        #expect(
            await lines.reduce(into: []) { $0.append($1) } == [
                "#1 \(line)", "#1 \(line): 503 (Service Unavailable), 0 bytes, 0.000 s",
                "#2 \(line)", "#2 \(line): 200 (OK), 16 bytes, 0.000 s",
            ])
    }

    @Test func countsByRouteAndStatus() async throws {
        let network = MockNetwork()
        network.stub(.any, .json(#"{"name": "Emma"}"#), .status(503))
        let counts = Locked<[String: [Duration]]>([:])

        let session = network.urlSession.observed(clock: MockClock()) { event in
            guard let response = event.response, let duration = event.duration else { return }
            let route = event.requestType ?? "other"
            counts.withLock { $0["\(route) \(response.statusCode)", default: []].append(duration) }
        }

        _ = try? await session.load(UserRequest(), 42)
        _ = try? await session.exchange(UserRequest().makeRequest(from: 42))
        #expect(counts.withLock { $0 } == ["UserRequest 200": [.zero], "other 503": [.zero]])
    }

    @Test func sharesOneCount() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("Emma"))
        let messages = Locked<[String]>([])

        let transport = MockURLSession(network).observed(clock: MockClock()) { event in
            messages.withLock { $0.append("\(event)") }
        }
        let users = transport.retrying()
        let images = transport.limited(to: 4)

        let request = try UserRequest().makeRequest(from: 42)
        _ = try await users.exchange(request)
        _ = try await images.exchange(request)
        let lines = messages.withLock { $0 }
        #expect(lines.map { $0.prefix(2) } == ["#1", "#1", "#2", "#2"])
        try expectPage("Observing.md", toShow: lines.prefix(2).joined(separator: "\n"))
    }

    private struct CustomerRequest: ShopRequest {
        func makeRequest(from birthday: String) throws -> URLRequest {
            try URLRequest(
                "GET", URL(string: "https://api.example.com")!, path: "/customers",
                query: ["birthday": birthday])
        }

        func parseResponse(data: Data) throws -> String { data.text }
    }

    @Test func hidesAnAppsOwnSecrets() async throws {
        let network = MockNetwork()
        network.stub(.get("/customers"), .status(500))
        let lines = Locked<[String]>([])

        let session = network.urlSession.observed(clock: MockClock()) { event in
            lines.withLock { $0.append(event.description(redacting: .shop)) }
        }
        let loader = APIRequestLoader(apiRequest: CustomerRequest(), urlSession: session)

        let error = try await #require(throws: APIRequestError.self) {
            try await loader.load("2001-02-03")
        }

        let line = "GET https://api.example.com/customers?birthday=REDACTED"
        #expect(
            error.description == """
                CustomerRequest: \(line) got an answer that was not accepted (stage .validate).
                The server answered 500 (Internal Server Error) with an empty body.
                A status in 200..<300 was expected.
                curl 'https://api.example.com/customers?birthday=REDACTED'
                """)
        #expect(
            lines.withLock { $0 }.prefix(2).last
                == "#1 \(line): 500 (Internal Server Error), 0 bytes, 0.000 s")
    }
}
