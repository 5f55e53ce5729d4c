import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// A network that answers from an archive.
@Suite(.limited) struct ReplayTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func network(
        _ entries: String..., then afterLast: Stub.AfterLast = .fail,
        times: Stub.Times = .atLeast(1)
    ) throws -> MockNetwork {
        let network = MockNetwork()
        let list = entries.joined(separator: ",\n")
        let file = try folder.write(#"{"log": {"entries": [\#(list)]}}"#, "users.har")
        network.stub(try HTTPArchive(contentsOf: file), then: afterLast, times: times)
        return network
    }

    @Test func equalRequestsGetTheirAnswersInOrder() async throws {
        let network = try network(
            entry("GET", "/jobs/1", text: "waiting"), entry("GET", "/jobs/2", text: "other"),
            entry("GET", "/jobs/1", text: "done"))
        let session = MockURLSession(network)

        var texts: [String] = []
        for path in ["jobs/1", "jobs/2", "jobs/1"] {
            texts.append(try await session.exchange(.test(path)).0.text)
        }

        #expect(texts == ["waiting", "other", "done"])
        try network.verify()
        let error = await #expect(throws: MockError.self) {
            try await session.exchange(.test("jobs/1"))
        }
        #expect(
            error?.description == """
                GET https://api.example.com/jobs/1 came 3 times, but the archive has 2 answers to \
                it (users.har, entries 1, 3).
                If the client polls: network.stub(archive, then: .repeatLast)
                """)
    }

    @Test func theLastAnswerMayBeRepeated() async throws {
        let network = try network(entry(text: "1"), entry(text: "2"), then: .repeatLast)
        let session = MockURLSession(network)
        for text in ["1", "2", "2", "2"] {
            #expect(try await session.exchange(.test("users/7")).0.text == text)
        }
    }

    @Test func verifyListsTheExchangesThatWereNotUsed() async throws {
        let network = try network(
            entry(), entry("GET", "/users/8"), entry(), entry("DELETE", status: 204, text: ""))
        _ = try await MockURLSession(network).exchange(.test("users/7"))

        let error = #expect(throws: VerificationError.self) { try network.verify() }
        #expect(
            error?.description == """
                3 of 4 exchanges of the archive were not used:
                  users.har, entry 3: GET https://api.example.com/users/7: 200 (OK), 15 bytes
                  users.har, entry 2: GET https://api.example.com/users/8: 200 (OK), 15 bytes
                  users.har, entry 4: DELETE https://api.example.com/users/7: 204 (No Content), 0 bytes
                If the client no longer sends them, record again. If it sends them only sometimes: \
                times: .any
                """)
    }

    @Test func anUnknownRequestShowsTheNearestOne() async throws {
        let network = try network(
            entry(
                "POST", "/users",
                request: #", "postData": {"mimeType": "application/json", "text": "{\"age\":3}"}"#),
            entry())

        let error = await #expect(throws: MockError.self) {
            try await MockURLSession(network)
                .exchange(.test("users", method: "POST", body: #"{"age":4}"#))
        }
        #expect(
            error?.description == """
                There is no answer in the archive to POST https://api.example.com/users, with the \
                body {"age":4}.
                The nearest of 2 requests (users.har, entry 1, recorded on 2026-11-22):
                  ✓ method POST
                  ✓ https://api.example.com
                  ✓ path exactly /users
                  ✓ no query items
                  ✗ JSON {"age":3}, but it differs:
                      $.age: expected 3, got 4
                If the request is right, record it again.
                If a value differs in each run, hide it by its name: redacting: .standard.adding("…")
                """)
    }

    /// A recorded request, a live one, and whether they are equal.
    struct Pair: Sendable {
        let recorded: String
        var path = "users/7"
        var method = "GET"
        var headers: [String: String] = [:]
        var body: String?
        let isEqual: Bool

        var request: URLRequest {
            var request = URLRequest(url: URL(string: "https://api.example.com/\(path)")!)
            request.httpMethod = method
            request.allHTTPHeaderFields = headers
            request.httpBody = body.map { Data($0.utf8) }
            return request
        }
    }

    private static func post(_ type: String, _ text: String) -> String {
        entry(
            "POST",
            request: #", "postData": {"mimeType": "\#(type)", "text": \#(JSONText.quoted(text))}"#)
    }

    private static let multipart =
        "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n"

    static let pairs = [
        Pair(recorded: entry("GET", "/a?x=1&y=2"), path: "a?y=2&x=1", isEqual: true),
        Pair(recorded: entry("GET", "/a?x=1"), path: "a?x=1&y=2", isEqual: false),
        Pair(recorded: entry("GET", "/a?x=1&x=2"), path: "a?x=1", isEqual: false),
        Pair(recorded: entry("GET", "/a#top"), path: "a", isEqual: true),
        Pair(recorded: entry("DELETE"), isEqual: false),
        Pair(recorded: entry(), headers: ["Accept": "text/html"], isEqual: true),
        Pair(recorded: entry(), headers: ["Range": "bytes=5-"], isEqual: true),
        Pair(
            recorded: entry().replacing(
                #""headers": []"#, with: #""headers": [{"name": "Range", "value": "bytes=5-"}]"#),
            headers: ["Range": "bytes=6-"], isEqual: false),
        Pair(
            recorded: entry().replacing(
                #""headers": []"#, with: #""headers": [{"name": "If-None-Match", "value": "1"}]"#),
            headers: ["If-None-Match": "1"], isEqual: true),
        Pair(
            recorded: post("application/json", #"{"a": 1, "b": [true]}"#), method: "POST",
            body: #"{"b":[true],"a":1.0}"#, isEqual: true),
        Pair(
            recorded: post("application/x-www-form-urlencoded", "a=1&b=2"), method: "POST",
            headers: ["Content-Type": "application/x-www-form-urlencoded"], body: "b=2&a=1",
            isEqual: true),
        Pair(
            recorded: post("multipart/form-data; boundary=x", multipart), method: "POST",
            headers: ["Content-Type": "multipart/form-data; boundary=y"],
            body: multipart.replacing("--x", with: "--y"), isEqual: true),
        Pair(
            recorded: post("multipart/form-data; boundary=x", multipart), method: "POST",
            headers: ["Content-Type": "multipart/form-data; boundary=y"],
            body: multipart.replacing("--x", with: "--y").replacing("1\r\n--", with: "2\r\n--"),
            isEqual: false),
        Pair(recorded: post("text/plain", "a b"), method: "POST", body: "a b", isEqual: true),
        Pair(recorded: post("text/plain", "a b"), method: "POST", body: "a  b", isEqual: false),
    ]

    @Test func comparesRequestsByTheirMeaning() async throws {
        await forEachRow(Self.pairs, named: \.recorded) { row, comment in
            let network = try network(row.recorded)
            let answer = try? await MockURLSession(network).exchange(row.request)
            #expect((answer != nil) == row.isEqual, comment)
        }
    }

    @Test(.usesSockets) func theHostOfTheServerDoesNotCount() async throws {
        let network = try network(entry())
        let (session, baseURL) = try Transport.loopback.open(network)

        let data = try await session.exchange(URLRequest(url: baseURL.appending(path: "users/7"))).0

        #expect(data.text == #"{"name":"Emma"}"#)
        try network.verify()
    }

    /// A recorded request and answer with placeholders, a live request, and its answer.
    static let placeholders: [(String, Pair, String)] = [
        (
            "a JSON-RPC id that is a number",
            Pair(
                recorded: post("application/json", #"{"id":"REDACTED-NUMBER-1","method":"ping"}"#)
                    .replacing(
                        #"{\"name\":\"Emma\"}"#,
                        with: #"{\"id\":\"REDACTED-NUMBER-1\",\"result\":{}}"#),
                method: "POST", body: #"{"method":"ping","id":41}"#, isEqual: true),
            #"{"id":41,"result":{}}"#
        ),
        (
            "a JSON-RPC id that is a string",
            Pair(
                recorded: post("application/json", #"{"id":"REDACTED-1"}"#)
                    .replacing(#"{\"name\":\"Emma\"}"#, with: #"data: {\"id\":\"REDACTED-1\"}"#),
                method: "POST", body: #"{"id":"a\"b"}"#, isEqual: true),
            #"data: {"id":"a\"b"}"#
        ),
        (
            "a query item inside a text",
            Pair(
                recorded: entry("GET", "/a?t=x-REDACTED-3-y", text: "see REDACTED-3"),
                path: "a?t=x-1%202-y", isEqual: true),
            "see 1 2"
        ),
        (
            "a part of the path",
            Pair(
                recorded: entry("GET", "/u/REDACTED-2/n", text: "REDACTED-2"), path: "u/emma/n",
                isEqual: true),
            "emma"
        ),
        (
            "a value that no request has",
            Pair(
                recorded: entry(text: #"{"token":"REDACTED-1","pin":"REDACTED-NUMBER-2"}"#),
                isEqual: true),
            #"{"token":"REDACTED-1","pin":2}"#
        ),
        (
            "a form field",
            Pair(
                recorded: post("application/x-www-form-urlencoded", "p=REDACTED-1&q=1"),
                method: "POST", headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: "q=1&p=a%26b", isEqual: true),
            #"{"name":"Emma"}"#
        ),
    ]

    /// A recorded body, a live one, a recorded answer, and its replay.
    static let kinds: [(String, String, String, String)] = [
        // A number of the file stays a number, and a string a string.
        (
            #"{"n":"REDACTED-NUMBER-1"}"#, #"{"n":41}"#,
            #"{"n":"REDACTED-NUMBER-1","s":"REDACTED-1"}"#, #"{"n":41,"s":"41"}"#
        ),
        (
            #"{"s":"REDACTED-1"}"#, #"{"s":"41"}"#,
            #"{"n":"REDACTED-NUMBER-1","s":"REDACTED-1"}"#, #"{"n":41,"s":"41"}"#
        ),
        // What the request itself has in place of the value counts more.
        (#"{"s":"REDACTED-1"}"#, #"{"s":41}"#, #"{"s":"REDACTED-1"}"#, #"{"s":41}"#),
        (
            #"{"n":"REDACTED-NUMBER-1"}"#, #"{"n":"a"}"#, #"{"n":"REDACTED-NUMBER-1"}"#,
            #"{"n":"a"}"#
        ),
        // A text that is no number cannot be one.
        (#"{"s":"REDACTED-1"}"#, #"{"s":"a"}"#, #"{"n":"REDACTED-NUMBER-1"}"#, #"{"n":"a"}"#),
        (#"{"s":"REDACTED-1"}"#, #"{"s":"07"}"#, #"{"n":"REDACTED-NUMBER-1"}"#, #"{"n":"07"}"#),
    ]

    @Test func aNumberStaysANumber() async throws {
        await forEachRow(Self.kinds, named: \.2) { row, comment in
            let recorded = Self.post("application/json", row.0)
                .replacing(#""{\"name\":\"Emma\"}""#, with: JSONText.quoted(row.2))
            let request = URLRequest.test("users/7", method: "POST", body: row.1)
            let answer = try await MockURLSession(try network(recorded)).exchange(request).0.text
            #expect(answer == row.3, comment)
        }
    }

    @Test func aNumberInThePathStaysANumberInTheAnswer() async throws {
        let file = folder.url.appending(path: "numbers.har")
        let body = #"{"accountNumber":12345678,"total":12345678.5,"id":212345678,"s":"12345678"}"#
        let request = URLRequest.test("accounts/12345678")
        try HTTPArchive([try await HTTPArchive.Exchange.recorded(.json(body), to: request)])
            .write(to: file)
        let network = MockNetwork()
        network.stub(try HTTPArchive(contentsOf: file))

        #expect(try await MockURLSession(network).exchange(request).0.text == body)
    }

    @Test func aPlaceholderStandsForWhatTheRequestHas() async throws {
        await forEachRow(Self.placeholders, named: \.0) { row, comment in
            let network = try network(row.1.recorded)
            let answer = try await MockURLSession(network).exchange(row.1.request).0.text
            #expect(answer == row.2, comment)
        }
    }

    @Test func aLaterAnswerKnowsThePlaceholdersOfEarlierRequests() async throws {
        let network = try network(
            Self.post("application/json", #"{"id":"REDACTED-1"}"#),
            entry("GET", "/events", text: #"data: {"id":"REDACTED-1"}"#))
        let session = MockURLSession(network)
        _ = try await session.exchange(.test("users/7", method: "POST", body: #"{"id":"live"}"#))

        #expect(try await session.exchange(.test("events")).0.text == #"data: {"id":"live"}"#)
    }

    @Test func anExchangeAsAResponseFillsItsPlaceholders() async throws {
        let recorded = Self.post("application/json", #"{"id":"REDACTED-1"}"#)
            .replacing("Emma", with: "REDACTED-1")
        let network = MockNetwork()
        network.stub(.any, .exchange(try folder.archive(recorded)[0]))
        let request = URLRequest.test("users/7", method: "POST", body: #"{"id":"live"}"#)

        #expect(
            try await MockURLSession(network).exchange(request).0.text == #"{"name":"live"}"#)
    }

    @Test func theRequestWithTheFewestDifferencesIsTheNearest() async throws {
        let network = try network(
            Self.post("application/json", #"{"a":1,"b":2}"#),
            Self.post("application/json", #"{"c":3}"#))
        let error = await #expect(throws: MockError.self) {
            try await MockURLSession(network)
                .exchange(.test("users/7", method: "POST", body: #"{"a":1,"b":0}"#))
        }
        #expect(error?.description.contains("(users.har, entry 1, recorded on") == true)
    }

    @Test func requestsThatDifferOnlyInPlaceholdersAreAnsweredInOrder() async throws {
        let network = try network(
            Self.post("application/json", #"{"id":"REDACTED-1"}"#)
                .replacing("Emma", with: "first REDACTED-1"),
            Self.post("application/json", #"{"id":"REDACTED-2"}"#)
                .replacing("Emma", with: "second REDACTED-2"))
        let session = MockURLSession(network)
        for (id, text) in [("x", "first x"), ("y", "second y")] {
            let request = URLRequest.test("users/7", method: "POST", body: #"{"id":"\#(id)"}"#)
            #expect(try await session.exchange(request).0.text == #"{"name":"\#(text)"}"#)
        }
    }

    @Test func aMockClockReplaysTheRecordedGaps() async throws {
        let archive = try folder.archive(
            entry(
                headers: #"{"name": "Content-Type", "value": "text/event-stream"}"#,
                text: "data: 1\n\ndata: 2\n\n", response: #", "_pieces": [[400, 9], [30400, 9]]"#))
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(archive)
        let (body, _) = try await MockURLSession(network).stream(.test("users/7"))
        var pieces = body.makeAsyncIterator()

        #expect(try await pieces.next()?.text == "data: 1\n\n")
        #expect(network.requests[0].sentPieceCount == 1)
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(30))
        #expect(try await pieces.next()?.text == "data: 2\n\n")
        #expect(try await pieces.next() == nil)
    }

    @Test func anAnswerThatItsClientLeftDoesNotEnd() async throws {
        let network = MockNetwork(clock: MockClock())
        network.stub(try folder.archive(entry(text: "one", response: #", "_ending": "left""#)))
        let (body, _) = try await MockURLSession(network).stream(.test("users/7"))

        for try await piece in body {
            #expect(piece.text == "one")
            break
        }
        #expect(network.requests[0].wasCancelled)
    }
}
