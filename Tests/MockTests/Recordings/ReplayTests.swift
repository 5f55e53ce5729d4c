import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited) struct ReplayTests {
    @Test func equalRequestsGetTheirResponsesInOrder() async throws {
        let network = try MockNetwork.replaying(
            entry("GET", "/jobs/1", text: "waiting"), entry("GET", "/jobs/2", text: "other"),
            entry("GET", "/jobs/1", text: "done"))
        for (path, text) in [("jobs/1", "waiting"), ("jobs/2", "other"), ("jobs/1", "done")] {
            #expect(try await network.exchange(.test(path)).0.text == text)
        }
        try network.verify()
        await #expect(throws: MockError.self) { try await network.exchange(.test("jobs/1")) }
    }

    /// Neither body is text.
    @Test func bodiesOfOtherBytesAreOtherRequests() async throws {
        func post(_ base64: String, text: String) -> String {
            let body = #"{"text": "\#(base64)", "encoding": "base64"}"#
            return entry("POST", request: #", "postData": \#(body)"#, text: text)
        }
        let network = try MockNetwork.replaying(
            post("/w==", text: "255"), post("/g==", text: "254"))

        for byte: UInt8 in [254, 255] {
            var request = URLRequest.test("users/7", method: "POST")
            request.httpBody = Data([byte])
            #expect(try await network.exchange(request).0.text == "\(byte)")
        }
    }

    @Test(arguments: [
        "http://api.example.com/users/7", "https://api.example.com:8443/users/7",
        "https://example.com/users/7",
    ])
    func aRequestToAnotherOriginHasNoResponse(_ url: String) async throws {
        let network = try MockNetwork.replaying(entry())

        await #expect(throws: MockError.self) { try await network.exchange(.url(url)) }
    }

    /// A server's origin stands for each recorded one, but only until the server is stopped.
    @Test(.usesSockets) func theOriginOfAStoppedServerIsAnotherOne() async throws {
        let network = try MockNetwork.replaying(entry(), then: .repeatLast)
        let server = try network.serve()
        let request = URLRequest(url: server.url.appending(path: "users/7"))
        #expect(try await network.exchange(request).1.statusCode == 200)

        server.stop()

        await #expect(throws: MockError.self) { try await network.exchange(request) }
        #expect(network.servers.withLock { $0.isEmpty })
    }

    /// A server keeps the stubs of its network, and its origin still stands for each recorded one.
    @Test(.usesSockets) func aServerRepliesWithoutItsNetwork() async throws {
        let server = try MockNetwork.replaying(entry(), then: .repeatLast).serve()
        let request = URLRequest(url: server.url.appending(path: "users/7"))
        let session = URLSession(configuration: .withoutProxy)
        #expect(try await session.exchange(request).1.statusCode == 200)
    }

    /// The errors of a replay, and what `verify()` finds after them. `Wordings.txt` shows them.
    static func wordings() async throws -> Wordings {
        func text(_ entries: String..., sending requests: URLRequest...) async throws -> String {
            let network = try MockNetwork.replaying(entries.joined(separator: ","))
            for request in requests { _ = try? await network.exchange(request) }
            return "\(try #require(throws: VerificationError.self) { try network.verify() })"
        }
        let secret = URLRequest.api("p?token=hunter2", body: #"{"a":2,"password":"hunter2"}"#)
        return Wordings(
            "A replay",
            try await text(
                entry(), entry(), sending: .test("users/7"), .test("users/7"), .test("users/7")),
            try await text(
                entry(), entry("GET", "/users/8"), entry(), entry("DELETE", status: 204, text: ""),
                sending: .test("users/7")),
            try await text(
                postEntry(#"{"age":3}"#), entry(),
                sending: .api("users/7", body: #"{"age":4}"#)),
            try await text(
                postEntry(#"{"a":1,"password":"REDACTED-1"}"#, "/p?token=REDACTED-1"), entry(),
                entry("GET", "/accounts/REDACTED-2"), sending: secret))
    }

    @Test func requestsThatDifferOnlyInWhatIsHiddenGetResponsesInOrder() async throws {
        let network = MockNetwork()
        network.stub(
            try .of(
                postEntry(#"{"id":"a"}"#).replacing("Emma", with: "first"),
                postEntry(#"{"id":"b"}"#).replacing("Emma", with: "second")),
            redacting: .standard.adding("id"))
        for (id, text) in [("x", "first"), ("y", "second")] {
            let request = URLRequest.api("users/7", body: #"{"id":"\#(id)"}"#)
            #expect(try await network.exchange(request).0.text == #"{"name":"\#(text)"}"#)
        }
    }

    @Test func aNumberOfTimesIsVerified() async throws {
        let network = try MockNetwork.replaying(entry(), times: .exactly(2))
        _ = try await network.exchange(.test("users/7"))
        #expect(throws: VerificationError.self) { try network.verify() }
    }

    @Test func theRequestWithTheFewestDifferencesIsTheNearest() async throws {
        let network = try MockNetwork.replaying(
            postEntry(#"{"a":1,"b":2}"#), postEntry(#"{"c":3}"#))
        let error = await #expect(throws: MockError.self) {
            try await network.exchange(.api("users/7", body: #"{"a":1,"b":0}"#))
        }
        #expect(error?.description.contains("(users.har, entry 1, recorded on") == true)
    }

    /// The recorded time of the second piece in milliseconds, and the time of its replay.
    @Test(arguments: [
        (30_400, Duration.seconds(30)), (500, .milliseconds(100)), (420, .milliseconds(20)),
    ])
    func aMockClockReplaysTheRecordedGaps(_ second: Int, _ gap: Duration) async throws {
        let clock = MockClock(patience: .zero)
        let network = try MockNetwork.replaying(
            entry(
                headers: #"{"name": "Content-Type", "value": "text/event-stream"}"#,
                text: "data: 1\n\ndata: 2\n\n",
                response: #", "_pieces": [[400, 9], [\#(second), 9]]"#), clock: clock)
        let (body, _) = try await network.stream(.test("users/7"))
        var pieces = body.makeAsyncIterator()

        #expect(try await pieces.next()?.text == "data: 1\n\n")
        #expect(network.requests[0].sentBody.pieceCount == 1)
        await clock.waitForSleepers()
        await clock.advance(by: gap - .milliseconds(1))
        #expect(network.requests[0].sentBody.pieceCount == 1)
        await clock.advance(by: .milliseconds(1))
        #expect(try await pieces.next()?.text == "data: 2\n\n")
        #expect(try await pieces.next() == nil)
    }

    /// Even without a delay, pieces arrive a few milliseconds apart.
    @Test func aShortGapIsNone() async throws {
        let network = try MockNetwork.replaying(
            entry(text: "onetwo", response: #", "_pieces": [[0, 3], [19, 3]]"#), clock: MockClock())
        #expect(try await network.exchange(.test("users/7")).0.text == "onetwo")
    }

    /// Once an archive is used up, requests go to older stubs, as with any other stub.
    @Test func anArchiveThatIsUsedUpHidesNoOlderStub() async throws {
        for (times, count) in [(Stub.Times.once, 1), (.exactly(2), 2)] {
            let network = MockNetwork()
            network.stub(.get("/users/7"), .text("older"), times: .any)
            network.stub(try .of(entry(text: "recorded")), then: .repeatLast, times: times)
            for _ in 0..<count {
                #expect(try await network.exchange(.test("users/7")).0.text == "recorded")
            }
            #expect(try await network.exchange(.test("users/7")).0.text == "older")
            try network.verify()
        }
    }

    @Test func aResponseThatItsClientLeftDoesNotEnd() async throws {
        let network = try MockNetwork.replaying(
            entry(text: "one", response: #", "_ending": "left""#), clock: MockClock())
        let (body, _) = try await network.stream(.test("users/7"))

        for try await piece in body {
            #expect(piece.text == "one")
            break
        }
        #expect(network.requests[0].wasCancelled)
    }
}
