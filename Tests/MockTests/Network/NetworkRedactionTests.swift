import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Which secrets the texts of a network hide.
@Suite(.limited, .usesSockets) struct NetworkRedactionTests {
    private let request = try! URLRequest(
        "POST", URL(string: "https://api.example.com")!, path: "/users",
        query: ["token": "hunter2", "birthday": "hunter3"],
        headers: ["Authorization": "Bearer hunter2"]
    ).jsonBody(["password": "hunter2", "birthday": "hunter3", "card": "4242"])

    /// Every text about one request and one stub that does not match it.
    private func texts(
        _ network: MockNetwork, over transport: Transport = .mockURLSession
    ) async throws -> String {
        let stub = network.stub(
            .post("/users").query(["token": "hunter9"]).header("Authorization", "Bearer hunter9")
                .json(#"{"password": "hunter9", "birthday": "hunter8"}"#),
            .json("{}"))
        let failure = await #expect(throws: MockError.self) {
            try await transport.open(network).session.exchange(request)
        }
        let verification = #expect(throws: VerificationError.self) { try network.verify() }
        return [
            "\(try #require(failure))", "\(try #require(verification))", "\(stub)",
            network.requests.map { "\($0)" }.joined(),
            network.requests.map { "\(RequestMatcher.get("/").report(on: $0))" }.joined(),
        ].joined(separator: "\n")
    }

    @Test(arguments: [Transport.urlProtocol, .mockURLSession])
    func hidesTheStandardSecrets(_ transport: Transport) async throws {
        let texts = try await texts(MockNetwork(), over: transport)

        #expect(!texts.contains("hunter2") && !texts.contains("hunter9"))
        #expect(texts.contains("hunter3") && texts.contains("hunter8"))
        #expect(texts.contains("; MockNetwork(redacting: .none) shows it)"))
    }

    @Test func hidesTheNamesThatATestAdds() async throws {
        let texts = try await texts(MockNetwork(redacting: .standard.adding("birthday")))

        #expect(!texts.contains("hunter"))
    }

    @Test(arguments: [Transport.urlProtocol, .mockURLSession])
    func showsEverythingWithoutRedaction(_ transport: Transport) async throws {
        let network = MockNetwork(clock: MockClock(), redacting: .none)

        let texts = try await texts(network, over: transport)

        #expect(!texts.contains("REDACTED") && !texts.contains("MockNetwork(redacting"))
        for line in [
            #"      $.password: expected "hunter9", got "hunter2""#,
            "  ✗ query token=hunter9, but the request has token=hunter2",
            "  ✗ header Authorization: Bearer hunter9, but the request has Authorization: Bearer hunter2",
            "POST https://api.example.com/users?token=hunter2&birthday=hunter3, 57 bytes",
        ] {
            #expect(texts.contains(line), "\(line)\n\(texts)")
        }
        #expect(texts.contains(#".query(["token": "hunter2", "birthday": "hunter3"])"#))
    }

    @Test func showsTheNamesThatATestChooses() async throws {
        let network = MockNetwork(redacting: .standard.showing("password", "card"))

        let texts = try await texts(network)

        #expect(texts.contains(#"$.password: expected "hunter9", got "hunter2""#))
        #expect(texts.contains(#"$.card: expected nothing, got "4242""#))
        #expect(!texts.contains("Bearer hunter"))
        #expect(texts.contains(#""card":"4242","password":"hunter2""#))
    }

    @Test func hidesInTheTextsOfAClosure() async throws {
        let network = MockNetwork(redacting: .none) { request in
            let response = HTTPURLResponse(
                url: request.url!, statusCode: 204, httpVersion: nil, headerFields: nil)!
            return (response, nil)
        }

        _ = try await MockURLSession(network).exchange(request)

        #expect(network.requests.first?.description.contains("token=hunter2") == true)
    }

    @Test func hidesInTheTextOfTheErrorOfALoad() async throws {
        func text(_ redaction: Redaction) async -> String {
            let failure = await #expect(throws: VerificationError.self) {
                try await withMockNetwork(redacting: redaction) { [request] network in
                    network.stub(.get("/a"), .text("x"))
                    throw APIRequestError(
                        stage: .transport, request: request,
                        underlying: URLError(.networkConnectionLost))
                }
            }
            return failure?.description ?? ""
        }

        #expect(await text(.standard).contains("birthday=hunter3"))
        #expect(await text(.none).contains("token=REDACTED"))
        let hidden = await text(.standard.adding("birthday"))
        #expect(hidden.contains("birthday=REDACTED") && !hidden.contains("hunter"))
    }

    /// The network hides less than the request whose load failed.
    @Test func theErrorOfALoadHidesMoreThanItsNetwork() async throws {
        let failure = try #require(
            await #expect(throws: MockError.self) {
                try await MockURLSession(MockNetwork()).exchange(request)
            })
        func text(_ redaction: Redaction) -> String {
            APIRequestError(
                stage: .transport, request: request, underlying: failure, redaction: redaction
            ).description
        }

        #expect(text(.standard).contains(failure.description))
        #expect(text(.standard).contains("hunter3"))
        let hidden = text(.standard.adding("birthday"))
        #expect(hidden.contains("No stub answers POST https://api.example.com/users"))
        #expect(!hidden.contains("hunter"))
    }

    @Test func hidesInTheTextOfAPart() async throws {
        func text(_ redaction: Redaction) async throws -> String {
            let network = MockNetwork(redacting: redaction)
            network.stub(.any, .json("{}"))
            let request = try URLRequest("POST", URL(string: "https://h")!).multipartBody([
                .text("birthday", "hunter2"), .text("token", "hunter3"),
            ])
            _ = try await MockURLSession(network).exchange(request)
            return try #require(network.requests.first?.parts).map(\.description)
                .joined(separator: " ")
        }

        #expect(try await text(.standard) == "birthday=hunter2 token=REDACTED")
        #expect(
            try await text(.standard.adding("birthday")) == "birthday=REDACTED token=REDACTED")
        #expect(try await text(.none) == "birthday=hunter2 token=hunter3")
    }

    @Test func namesThePlaceOfANetworkWithoutStubs() async throws {
        let failure = await #expect(throws: VerificationError.self) {
            try await withMockNetwork(fileID: "App/UserTests.swift", line: 12) { network in
                _ = try? await MockURLSession(network).exchange(.test("a"))
            }
        }

        let text = try #require(failure).description
        #expect(
            text.contains("\nThis network (App/UserTests.swift:12) has no stubs and no handler.\n"))
        let own = await #expect(throws: MockError.self) {
            try await MockURLSession(MockNetwork()).exchange(.test("a"))
        }
        #expect(own?.description.contains("\nThis network has no stubs and no handler.") == true)
    }
}
