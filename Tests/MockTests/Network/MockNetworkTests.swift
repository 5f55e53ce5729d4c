import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct MockNetworkTests {
    let network = MockNetwork()

    private func get(_ path: String) async throws -> String {
        try await network.urlSession.exchange(.test(path)).0.text
    }

    @Test func givesTheSameSession() {
        #expect(network.urlSession === network.urlSession)
    }

    @Test func asksTheNewestStubFirst() async throws {
        network.stub(.any, .text("old"), times: .any)
        network.stub(.get("/a"), .text("new"))

        #expect(try await get("a") == "new")
        #expect(try await get("b") == "old")
    }

    @Test func givesSeveralResponsesAndRepeatsTheLast() async throws {
        network.stub(.any, .text("1"), .text("2"), .text("3"))

        var texts: [String] = []
        for _ in 0..<5 { texts.append(try await get("a")) }

        #expect(texts == ["1", "2", "3", "3", "3"])
    }

    @Test func asksOlderStubsWhenOneIsUsedUp() async throws {
        network.stub(.any, .text("older"), times: .any)
        network.stub(.any, .text("newer"), times: .exactly(2))

        #expect(try await get("a") == "newer")
        #expect(try await get("a") == "newer")
        #expect(try await get("a") == "older")
    }

    @Test func failsAtOnceWhereNothingMayCome() async throws {
        network.stub(.get("/a"), .text("x"), times: .never)

        let failure = await #expect(throws: MockError.self) { try await get("a") }

        #expect(failure?.reason == .forbidden)
        #expect(throws: VerificationError.self) { try network.verify() }
    }

    @Test func explainsARequestThatNothingMatches() async throws {
        network.stub(.get("/users/{id}").query(["page": "2"]), .json("{}"), times: .any)
        network.stub(.post("/users"), .json("{}"), times: .any)
        var request = URLRequest.test("users/7")
        request.url?.append(queryItems: [
            .init(name: "page", value: "3"), .init(name: "token", value: "hunter2"),
        ])

        let failure = await #expect(throws: MockError.self) {
            try await network.urlSession.exchange(request)
        }

        let text = try #require(failure?.description)
        #expect(failure?.reason == .unmatched)
        #expect(text.contains("GET https://api.example.com/users/7?page=3"))
        #expect(
            text.contains(
                "  ✓ method GET\n  ✓ path /users/{id}\n  ✗ query page=2, but the request has page=3"
            ))
        #expect(text.contains("MockNetworkTests.swift:"))
        #expect(text.contains(#"network.stub(.get("/users/7").query(["page": "3"]), .json("{}"))"#))
        #expect(!text.contains("hunter2"))
        let verification = #expect(throws: VerificationError.self) { try network.verify() }
        #expect(verification?.findings == [text])
    }

    @Test func saysThatAStubIsUsedUp() async throws {
        network.stub(.get("/a"), .text("x"), times: .exactly(1))
        _ = try await get("a")

        let failure = await #expect(throws: MockError.self) { try await get("a") }

        #expect(failure?.description.contains("used up: answered 1 of 1") == true)
    }

    @Test(arguments: [
        (MockResponse.json("{"), "not JSON"),
        (.json(encoding: ["x": Double.nan]), "could not encode"),
        (.status(99), "100...599"), (.text("x", status: 600), "100...599"),
        (.text("x").chunked(by: 0), "at least one byte"),
    ])
    func failsEachRequestOfABrokenStub(_ response: MockResponse, _ part: String) async throws {
        network.stub(.get("/a"), response)

        for _ in 0..<2 {
            let failure = await #expect(throws: MockError.self) { try await get("a") }
            #expect(failure?.reason == .brokenStub)
            #expect(failure?.description.contains(part) == true)
            #expect(failure?.description.contains("MockNetworkTests.swift:") == true)
        }
        let verification = #expect(throws: VerificationError.self) { try network.verify() }
        #expect(verification?.findings.count == 1)
    }

    @Test func tellsAnUnusableTemplate() throws {
        network.stub(.get("/users/{id"), .text("x"))

        let verification = #expect(throws: VerificationError.self) { try network.verify() }

        #expect(verification?.findings.first?.contains("/users/{id") == true)
    }

    @Test func tellsAURLWhereAPathBelongs() throws {
        network.stub(.get("https://api.example.com/users"), .text("x"))

        let verification = #expect(throws: VerificationError.self) { try network.verify() }

        #expect(verification?.findings.first?.contains("takes a path such as /users") == true)
    }

    @Test func describesARecord() {
        var request = URLRequest.test("a", method: "POST", body: "four")
        request.url?.append(queryItems: [.init(name: "token", value: "hunter2")])
        var record = RecordedRequest(request: request)

        #expect("\(record)" == "POST https://api.example.com/a?token=REDACTED, 4 bytes")
        record = RecordedRequest(request: .test("b"))
        #expect("\(record)" == "GET https://api.example.com/b")
    }

    @Test func recordsWhatCame() async throws {
        network.stub(.post("/users/{id}"), .status(204))
        var request = URLRequest.test("users/a b", method: "POST", body: #"{"name": "Emma"}"#)
        request.url?.append(queryItems: [
            .init(name: "q", value: "1+1"), .init(name: "flag", value: nil),
        ])

        _ = try await network.urlSession.exchange(request)

        let record = try #require(network.requests.first)
        #expect(record.pathValues["id"] == "a b")
        #expect(record.query["q"] == "1+1")
        #expect(record.query["flag"] == "")
        #expect(record.queryItems.map(\.value) == ["1+1", nil])
        #expect(try record.decode([String: String].self) == ["name": "Emma"])
        #expect(!record.wasCancelled)
    }

    // Foundation's own path is empty if an escape is no UTF-8.
    @Test(arguments: [
        ("https://h", ""), ("https://h/?a", "/"), ("https://h/a%20b/%2F?c#d", "/a b//"),
        ("https://h/%FF/a", "/\u{FFFD}/a"),
    ])
    func decodesThePath(_ url: String, _ path: String) {
        #expect(RecordedRequest(request: URLRequest(url: URL(string: url)!)).path == path)
    }

    @Test func decodesAQueryThatIsNotUTF8() {
        let record = RecordedRequest(
            request: URLRequest(url: URL(string: "https://h/?q=%FF&%FF=1&a")!))

        #expect(record.queryItems.map(\.name) == ["q", "\u{fffd}", "a"])
        #expect(record.queryItems.map(\.value) == ["\u{fffd}", "1", nil])
        #expect(record.query["q"] == "\u{fffd}")
    }

    @Test func boundsItsJournal() async throws {
        let stub = network.stub(.any, .text("x"))
        network.journalLimit = 3

        for index in 0..<10 { _ = try await get("\(index)") }

        #expect(network.requests.map { $0.request.url?.path } == ["/7", "/8", "/9"])
        #expect(stub.requests.count == 3)
        #expect(stub.callCount == 10)
        network.journalLimit = 0
        _ = try await get("a")
        #expect(network.requests.isEmpty)
    }

    @Test func mayKeepEveryRequest() async throws {
        network.stub(.any, .text("x"))
        network.journalLimit = .max

        for index in 0..<3 { _ = try await get("\(index)") }

        #expect(network.requests.count == 3)
    }

    // A handler makes a body of its own for each request.
    @Test func onlyCountsALongBodyOfAHandler() async throws {
        network.stub(.get("/long")) { _ in .data(Data(count: 1_048_577)) }
        network.stub(.get("/short")) { _ in .data(Data(count: 1_048_576)) }

        for path in ["long", "short"] { _ = try await get(path) }

        #expect(network.requests.map(\.sentByteCount) == [1_048_577, 1_048_576])
        #expect(network.requests.map(\.sentPieceCount) == [1, 1])
        #expect(network.requests.map(\.sent.count) == [0, 1])
        #expect(network.requests[0].wholeBody.isEmpty)
    }

    @Test func keepsCookiesToItself() async throws {
        network.stub(.get("/login"), .status(204).header("Set-Cookie", "id=7; Path=/"))
        network.stub(.get("/a"), .text("x"))
        let other = MockNetwork()
        other.stub(.any, .text("x"))

        _ = try await get("login")
        _ = try await get("a")
        _ = try await other.urlSession.exchange(.test("a"))

        #expect(network.requests.last?.request.value(forHTTPHeaderField: "Cookie") == "id=7")
        #expect(other.requests.last?.request.value(forHTTPHeaderField: "Cookie") == nil)
    }

    // Foundation would wait forever, or repeat the request to the real host.
    @Test func deliversARefusedCredentialWithItsBody() async throws {
        network.stub(
            .any, .text("who are you", status: 401).header("WWW-Authenticate", "Basic realm=x"))
        final class Delegate: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession, task: URLSessionTask,
                didReceive challenge: URLAuthenticationChallenge,
                completionHandler:
                    @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) ->
                    Void
            ) {
                guard challenge.previousFailureCount < 1 else {
                    return completionHandler(.performDefaultHandling, nil)
                }
                completionHandler(
                    .useCredential,
                    URLCredential(user: "u", password: "p", persistence: .forSession))
            }
        }
        let session = URLSession(
            configuration: network.configuration, delegate: Delegate(), delegateQueue: nil)

        for session in [network.urlSession, session] {
            let (data, response) = try await session.exchange(.test("a"))
            #expect(data.text == "who are you")
            #expect(response.statusCode == 401)
            #expect(response.url?.path == "/a")
            let challenge = response.value(forHTTPHeaderField: "WWW-Authenticate")
            #expect(challenge?.trimmingCharacters(in: .whitespaces) == "Basic realm=x")
        }
        #expect(network.requests.count == 2)
    }
}
