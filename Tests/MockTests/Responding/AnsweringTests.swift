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

    /// A folder with one file, which is gone when the body returns.
    private func withFile<R>(
        _ name: String, _ text: String, _ body: (URL) async throws -> R
    ) async throws -> R {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("APIKitLite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        return try await body(folder)
    }

    @Test(arguments: Transport.allCases)
    func answersWithAFixture(_ transport: Transport) async throws {
        for (name, asked, type) in [
            ("users.json", "users", "application/json"),
            ("users.json", "users.json", "application/json"),
            ("page.html", "page.html", "text/html; charset=utf-8"),
            ("raw.bin", "raw.bin", "application/octet-stream"),
        ] {
            try await withFile(name, "[1]") { folder in
                let network = MockNetwork()
                network.stub(.any, .fixture(asked, in: folder, status: 201))

                let (body, response) = try await exchange(transport, network)

                #expect(body == "[1]")
                #expect(response.statusCode == 201)
                #expect(response.value(forHTTPHeaderField: "Content-Type") == type)
            }
        }
    }

    @Test func aMissingFixtureIsNamedWithItsPlaceAndWhatThereIs() async throws {
        try await withFile("users.json", "[]") { folder in
            let network = MockNetwork()
            network.stub(.any, .fixture("user", in: folder))
            let place = "MockTests/AnsweringTests.swift:\(#line - 1)"

            let failure = await #expect(throws: MockError.self) {
                try await network.urlSession.exchange(.test("a"))
            }

            #expect(failure?.reason == .brokenStub)
            let text = failure?.description ?? ""
            #expect(
                text.hasPrefix("No fixture \"user\". Looked for:\n  \(folder.path)/user.json\n"))
            #expect(text.contains("\nThere is: users.json.\n"))
            #expect(text.hasSuffix("(\(place))"))
            let verification = #expect(throws: VerificationError.self) { try network.verify() }
            #expect(verification?.findings == [text])
        }
    }

    @Test func aFixtureOfABundleIsFoundInTheBundle() throws {
        let response = MockResponse.fixture("Missing", in: .main)

        #expect(response.configurationError?.hasPrefix("No fixture \"Missing\".") == true)
    }

    @Test(
        arguments: Transport.allCases,
        [
            (Stub.AfterLast.repeatLast, ["1", "2", "2", "2"]),
            (.startOver, ["1", "2", "1", "2"]),
        ])
    func goesOnAfterTheLastResponse(
        _ transport: Transport, _ test: (continuation: Stub.AfterLast, bodies: [String])
    ) async throws {
        let network = MockNetwork()
        network.stub(.any, .text("1"), .text("2"), then: test.continuation)

        var bodies: [String] = []
        for _ in test.bodies { bodies.append(try await exchange(transport, network).body) }

        #expect(bodies == test.bodies)
    }

    @Test(arguments: Transport.allCases)
    func failsAfterTheLastResponse(_ transport: Transport) async throws {
        let network = MockNetwork()
        network.stub(.any, .text("1"), .text("2"), then: .fail)
        for _ in 1...2 { _ = try await exchange(transport, network) }

        let third = await Result { try await exchange(transport, network) }

        let text = (try? third.get())?.body ?? third.errorText
        #expect(
            text.contains("/a came after the last of the 2 responses of the stub for any request"))
        #expect(transport == .loopback || third.errorText.contains("then: .fail."))
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
        network.stub(.put("/a")) { _ in .passthrough(to: MockURLSession(real)) }
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

    @Test func whatNothingMatchesIsNeverPassedThrough() async throws {
        let network = MockNetwork()
        let real = MockNetwork { _ in (HTTPURLResponse(), nil) }
        network.stub(.get("/other"), .passthrough(to: real.urlSession))

        await #expect(throws: MockError.self) {
            try await exchange(.urlProtocol, network)
        }
        #expect(real.requests.isEmpty)
    }

    @Test func aServersRequestIsNotPassedBackToItself() async throws {
        let network = MockNetwork()
        network.stub(.any, .passthrough(to: URLSession(configuration: .withoutProxy)))

        let (body, response) = try await exchange(.loopback, network)

        #expect(response.statusCode == 500)
        #expect(body.contains("would come back to this network, for ever"))
        #expect(network.requests.count == 1)
    }

    @Test(arguments: [Transport.urlProtocol, .mockURLSession])
    func aRequestIsNotPassedToItsOwnNetwork(_ transport: Transport) async throws {
        let network = MockNetwork()
        network.stub(.any) { [weak network] _ in
            .passthrough(to: try transport.open(try #require(network)).session)
        }

        let failure = await #expect(throws: MockError.self) {
            try await exchange(transport, network)
        }

        #expect(failure?.reason == .brokenStub)
        #expect(network.requests.count == 1)
    }

    @Test(arguments: [
        (MockResponse.text("x").delayed(by: .seconds(-1)), "delayed(by: -1.0 seconds): a delay"),
        (.text("x").chunked(by: 1, every: .seconds(-1)), "an interval is not negative"),
        (.text("x").chunked(by: 0), "a piece has at least one byte"),
        (.text("x").failing(afterBytes: -1), "a count is not negative"),
        (.text("x").failing(afterHeaderBytes: -1), "a count is not negative"),
        (.json("{").delayed(by: .seconds(1)), "text that is not JSON"),
    ])
    func anUnusableResponseReportsItsErrorAndLocation(
        _ response: MockResponse, _ text: String
    ) async throws {
        for isMadeByHandler in [false, true] {
            let network = MockNetwork()
            let stub: (UInt) -> Void = { line in
                if isMadeByHandler {
                    network.stub(.any, line: line) { _ in response }
                } else {
                    network.stub(.any, response, line: line)
                }
            }
            stub(7)

            let failure = await #expect(throws: MockError.self) {
                try await network.urlSession.exchange(.test("a"))
            }

            #expect(failure?.description.contains(text) == true)
            #expect(failure?.description.contains("MockTests/AnsweringTests.swift:7") == true)
        }
    }

    @Test func anEndedReplyKeepsNoClient() async {
        final class Receiver: Client {
            var isWaiting: Bool { true }
            var sessionTimeout: TimeInterval? { nil }
        }
        let network = MockNetwork()
        let stub = network.stub(.any, .text("a").held)
        weak var client: Receiver?
        var handle: CancellationHandle?
        do {
            let receiver = Receiver()
            client = receiver
            handle = network.core.load(.test("a"), for: receiver) { _ in }
        }

        stub.release()
        await network.waitForResponses()

        #expect(client == nil)
        handle?.cancel()
    }
}

extension Result where Failure == any Error {
    fileprivate var errorText: String {
        if case .failure(let error) = self { "\(error)" } else { "" }
    }
}
