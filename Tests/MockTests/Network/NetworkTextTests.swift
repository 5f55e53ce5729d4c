import TestSupport

/// The texts of a network show what the test sent. What the core prints stays redacted.
@Suite(.limited, .usesSockets) struct NetworkTextTests {
    private let request = try! URLRequest(
        "POST", URL(string: "https://api.example.com")!, path: "/users",
        query: ["token": "hunter2"], headers: ["Authorization": "Bearer hunter2"]
    ).jsonBody(["password": "hunter2", "card": "4242"])

    private func network() -> MockNetwork {
        let network = MockNetwork()
        network.stub(
            .post("/users").query(["token": "hunter9"]).header("Authorization", "Bearer hunter9")
                .json(#"{"password": "hunter9"}"#), .json("{}"))
        return network
    }

    @Test(arguments: [Transport.urlProtocol, .direct])
    func showsEveryValue(_ transport: Transport) async throws {
        let network = network()
        let failure = try await transport.open(network).session.mockError(request)
        let verification = try #require(throws: VerificationError.self) { try network.verify() }
        #expect(verification.findings.first == failure)
        let requests = network.requests.map { "\($0)" }
        let texts = ([failure, "\(verification)"] + requests).joined(separator: "\n")

        #expect(!texts.contains("REDACTED"))
        for text in [
            #", with the body {"card":"4242","password":"hunter2"}."#,
            #"      $.password: expected "hunter9", got "hunter2""#,
            "  ✗ query token=hunter9, but the request has token=hunter2",
            "  ✗ header Authorization: Bearer hunter9, but the request has Authorization: Bearer hunter2",
            "POST https://api.example.com/users?token=hunter2, 36 bytes",
            ##".query(["token": "hunter2"]).json(#"{"card":"4242","password":"hunter2"}"#)"##,
        ] { #expect(texts.contains(text), "\(text)\n\(texts)") }
    }

    @Test func theErrorOfALoadHidesItsRequestAndShowsTheTextOfTheMock() async throws {
        let failure = try await #require(throws: MockError.self) {
            try await network().exchange(request)
        }
        func text(_ redaction: Redaction) -> String {
            APIRequestError(
                stage: .transport, request: request, underlying: failure, redaction: redaction
            ).description
        }

        for redaction in [Redaction.standard, .standard.adding("card"), .none] {
            #expect(text(redaction).contains(failure.description))
        }
        #expect(
            text(.standard).contains("curl -X POST 'https://api.example.com/users?token=REDACTED'"))
    }
}
