import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

/// The delegate of a streamed task, called as Foundation calls it.
@Suite(.limited, .usesSockets) struct URLSessionStreamTests {
    private let stream = URLSessionStream(.test("a"), .head())
    private let session = URLSession(configuration: .ephemeral)
    // The task is never resumed.
    private let task: URLSessionDataTask

    init() { task = session.dataTask(with: .test("a")) }

    private func receive(status: Int, _ headers: [String: String] = [:]) throws {
        // Not https: with a proxy in the environment, it could be the response of the proxy.
        let url = URL(string: "http://api.example.com/a")!
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers))
        stream.urlSession(session, dataTask: task, didReceive: response) { #expect($0 == .allow) }
    }

    private func head() async throws -> (body: HTTPBody, response: HTTPURLResponse) {
        guard case .response(let body, let response) = try await stream.head() else {
            throw TestError()
        }
        return (body, response)
    }

    @Test(arguments: [100, 103]) func anInterimResponseIsNotTheHead(_ status: Int) async throws {
        try receive(status: status)
        try receive(status: 200)
        #expect(try await head().response.statusCode == 200)
    }

    #if canImport(FoundationNetworking)
    /// Foundation delivers the refusal, and then sends the request again with a credential.
    @Test func theBodyOfARefusalIsNotThatOfTheResponse() async throws {
        try receive(status: 401, ["WWW-Authenticate": "Basic realm=\"a\""])
        stream.urlSession(session, dataTask: task, didReceive: Data("refused".utf8))
        try receive(status: 200)
        stream.urlSession(session, dataTask: task, didReceive: Data("response".utf8))
        let (body, response) = try await head()
        #expect(response.statusCode == 200)
        var pieces = body.makeAsyncIterator()
        #expect(try await pieces.next()?.text == "response")
    }
    #endif

    private func receiveResponses(of types: [String]) async throws -> HTTPBody.AsyncIterator {
        for (type, piece) in zip(types, ["a", "b", "c"]) {
            try receive(status: 200, ["Content-Type": type])
            stream.urlSession(session, dataTask: task, didReceive: Data(piece.utf8))
        }
        return try await head().body.makeAsyncIterator()
    }

    /// On Apple platforms, each part of this type has a response of its own.
    @Test func partsWithResponsesAreOneBody() async throws {
        var pieces = try await receiveResponses(
            of: ["multipart/x-mixed-replace; boundary=1", "image/jpeg", "image/jpeg"])
        #expect(try await pieces.next() == Data("abc".utf8))
    }

    @Test(arguments: ["text/plain", "multipart/x-mixed-replace; boundary=1"])
    func anotherResponseEndsTheBody(_ type: String) async throws {
        var pieces = try await receiveResponses(of: ["text/plain", type])
        stream.urlSession(session, task: task, didCompleteWithError: nil)
        #expect(try await pieces.next() == Data("a".utf8))
        await #expect(throws: URLError(.badServerResponse)) { try await pieces.next() }
    }

    @Test func aCancelledExchangeDoesNotStart() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("hello"), times: .any)
        let task = network.urlSession.dataTask(with: .test("a"))
        stream.cancel()
        stream.start(task)
        #expect(task.state != .running)
        #expect(network.requests.isEmpty)
    }

    /// Foundation may complete a task normally although it was cancelled a moment before.
    @Test func aCancelledBodyIsNotWhole() async throws {
        try receive(status: 200)
        var pieces = try await head().body.makeAsyncIterator()
        stream.cancel()
        stream.urlSession(session, dataTask: task, didReceive: Data("lost".utf8))
        stream.urlSession(session, task: task, didCompleteWithError: nil)
        await #expect(throws: URLError(.cancelled)) { try await pieces.next() }
    }

    /// The delegate queue, on which the task completes, may wait for the reader of another stream.
    @Test func aCancelledCallerDoesNotWaitForTheTask() async throws {
        let caller = Task { _ = try await stream.head() }
        caller.cancel()
        await #expect(throws: URLError(.cancelled)) { try await caller.value }
    }
}
