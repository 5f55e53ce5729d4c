import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// Fixtures, sequences and real answers, over every way into a network.
@Suite(.limited, .usesSockets) struct AnsweringTests {
    private func exchange(
        _ transport: Transport, _ network: MockNetwork
    ) async throws -> (body: String, response: HTTPURLResponse) {
        let (session, baseURL) = try transport.open(network)
        let request = URLRequest(url: baseURL.appending(path: "a"))
        let (data, response) = try await session.exchange(request)
        return (data.text, response)
    }

    @Test(arguments: Transport.allCases)
    func answersWithAFixture(_ transport: Transport) async throws {
        for (name, asked, type) in [
            ("users.json", "users", "application/json"),
            ("users.json", "users.json", "application/json"),
            ("page.html", "page.html", "text/html; charset=utf-8"),
            ("raw.bin", "raw.bin", "application/octet-stream"),
        ] {
            let folder = try TemporaryFolder()
            try folder.write("[1]", name)
            let network = MockNetwork()
            network.stub(.any, .fixture(asked, JsonLoader(folder: folder.url), 201))

            let (body, response) = try await exchange(transport, network)

            #expect(body == "[1]")
            #expect(response.statusCode == 201)
            #expect(response.value(forHTTPHeaderField: "Content-Type") == type)
        }
    }

    @Test func aMissingFixtureIsNamedWithItsPlaceAndWhatThereIs() async throws {
        let folder = try TemporaryFolder()
        try folder.write("[]", "users.json")
        let network = MockNetwork()
        network.stub(
            .any, .fixture("user", JsonLoader(folder: folder.url), 200), fileID: "A/B.swift",
            line: 7)

        let failure = await #expect(throws: MockError.self) {
            try await exchange(.urlProtocol, network)
        }

        #expect(failure?.reason == .brokenStub)
        let text = failure?.description ?? ""
        let path = folder.url.path
        #expect(text.hasPrefix("No fixture \"user\". Looked for:\n  \(path)/user.json\n"))
        #expect(text.contains("\nThere is: users.json.\n"))
        #expect(text.hasSuffix("(A/B.swift:7)"))
        let verification = #expect(throws: VerificationError.self) { try network.verify() }
        #expect(verification?.findings == [text])
        let other = "\(MockResponse.fixture("Missing", in: .main))"
        #expect(other.hasPrefix("unusable response: No fixture \"Missing\"."))
    }

    @Test(arguments: Transport.allCases)
    func repeatsTheLastResponse(_ transport: Transport) async throws {
        let network = MockNetwork()
        network.stub(.any, .text("1"), .text("2"))

        var bodies: [String] = []
        for _ in 1...4 { bodies.append(try await exchange(transport, network).body) }

        #expect(bodies == ["1", "2", "2", "2"])
    }

    @Test(arguments: Transport.allCases, [1, 2])
    func failsAfterTheLastResponse(_ transport: Transport, _ count: Int) async throws {
        let network = MockNetwork()
        if count == 1 {
            network.stub(.any, .text("1"), then: .fail)
        } else {
            network.stub(.any, .text("1"), .text("2"), then: .fail)
        }
        for _ in 1...count { _ = try await exchange(transport, network) }

        let last = await Result { try await exchange(transport, network) }

        let text = (try? last.get())?.body ?? last.errorText
        let responses = count == 1 ? "the only response" : "the last of the 2 responses"
        #expect(text.contains("/a came after \(responses) of the stub for any request"))
        #expect(transport == .loopback || last.errorText.contains("then: .fail."))
        let failure = #expect(throws: VerificationError.self) { try network.verify() }
        #expect(failure?.findings.count == 1)
    }

    @Test(arguments: Transport.allCases)
    func passesARequestToARealSessionAndMarksIt(_ transport: Transport) async throws {
        let real = MockNetwork { request in
            (
                HTTPURLResponse(
                    url: request.url!, statusCode: 203, httpVersion: nil,
                    headerFields: ["X-From": "real"])!, request.httpBody
            )
        }
        let network = MockNetwork()
        network.stub(.any, .text("mocked"))
        network.stub(.post("/a"), .passthrough(to: real.urlSession))
        network.stub(.put("/a")) { _ in .passthrough(to: real) }
        let (session, baseURL) = try transport.open(network)

        for method in ["POST", "GET", "PUT"] {
            var request = URLRequest(url: baseURL.appending(path: "a"))
            request.httpMethod = method
            request.httpBody = method == "GET" ? nil : Data("body".utf8)
            let (data, response) = try await session.exchange(request)

            #expect(data.text == (method == "GET" ? "mocked" : "body"))
            #expect(response.statusCode == (method == "GET" ? 200 : 203))
            #expect(
                response.value(forHTTPHeaderField: "X-From") == (method == "GET" ? nil : "real"))
        }

        #expect(network.requests.map(\.wasPassedThrough) == [true, false, true])
        #expect(network.requests.first?.description.hasSuffix(", passed through") == true)
        #expect(real.requests.map(\.method) == ["POST", "PUT"])
        try network.verify()
    }

    @Test(arguments: Transport.allCases)
    func aCompressedAnswerCanBePassedThrough(_ transport: Transport) async throws {
        let zipped = try #require(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA=="))
        let real = MockNetwork()
        real.stub(.any, .data(zipped).header("Content-Encoding", "gzip"))
        let realURL = try real.serve().url
        let realSession = URLSession(configuration: .withoutProxy).intercepting { request, next in
            try await next(URLRequest(url: realURL))
        }
        let network = MockNetwork()
        network.stub(.any, .passthrough(to: realSession))
        let (session, baseURL) = try transport.open(network)

        let (data, _) = try await session.exchange(URLRequest(url: baseURL))

        #expect(data.text == "hello")
    }

    @Test(arguments: Transport.allCases)
    func whatAHandlerDoesWrongIsVerifiedToo(_ transport: Transport) async throws {
        let network = MockNetwork()
        network.stub(.any) { _ in .json("{") }
        let (session, baseURL) = try transport.open(network)
        // As in code that takes any failure for an empty list.
        _ = try? await session.exchange(URLRequest(url: baseURL))

        let failure = #expect(throws: VerificationError.self) { try network.verify() }

        #expect(failure?.findings.count == 1)
        #expect(failure?.description.contains("use .text(_:). (MockTests/Answering") == true)
    }

    @Test func whatNothingMatchesIsNeverPassedThrough() async throws {
        let network = MockNetwork()
        let real = MockNetwork { _ in (HTTPURLResponse(), nil) }
        network.stub(.get("/other"), .passthrough(to: real.urlSession))

        await #expect(throws: MockError.self) {
            try await exchange(.urlProtocol, network)
        }
        #expect(real.requests.isEmpty)
    }
}

extension Result where Failure == any Error {
    fileprivate var errorText: String {
        if case .failure(let error) = self { "\(error)" } else { "" }
    }
}
