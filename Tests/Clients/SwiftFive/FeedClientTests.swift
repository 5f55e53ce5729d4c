import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

// A client with its own errors, tokens in an actor, a retry rule that counts in a header, and a
// stream whose events become its own elements. The clients in the other modes compile it too.

public enum FeedError: Error {
    case refused(Int)
    case other(any Error)

    init(_ error: any Error) {
        let original = (error as? APIRequestError)?.underlying ?? error
        let status = (original as? UnacceptableStatus)?.statusCode
        self = status.map { .refused($0) } ?? .other(original)
    }
}

public actor FeedTokens {
    private var token: String

    public init(_ token: String) {
        self.token = token
    }

    func current() -> String { token }
}

public nonisolated struct FeedItem: Decodable, Equatable, Sendable {
    var title: String
}

nonisolated struct FeedRequest: StreamedAPIRequest {
    let baseURL: URL

    func makeRequest(from topic: String) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: "/feeds/{+topic}", ["topic": topic])
    }

    /// The items, without other events, up to an optional `[DONE]`.
    func makeParser(for response: HTTPURLResponse) -> some StreamParser<FeedItem> {
        ServerSentEvents().compactMap { event in
            guard event.event == "item", event.data != "[DONE]" else { return nil }
            return try JSONDecoder().decode(FeedItem.self, from: Data(event.data.utf8))
        }
    }
}

public struct FeedClient: Sendable {
    let baseURL: URL
    let session: any HTTPSession

    public init(baseURL: URL, tokens: FeedTokens, over transport: URLSession = .shared) {
        self.baseURL = baseURL
        session = transport.intercepting { request, next in
            try await next(request.authorization(bearer: tokens.current()))
        }.retrying(random: { 0 }, deciding: countingRetries)
    }

    public func follow(
        _ topic: String, _ receive: (FeedItem) -> Void
    ) async throws(FeedError) {
        try await call {
            for try await item in session.stream(FeedRequest(baseURL: baseURL), topic) {
                receive(item)
            }
        }
    }

    public func latest(_ topic: String) async throws(FeedError) -> FeedItem? {
        try await call {
            let request = try URLRequest("GET", baseURL, segments: ["feeds", topic, "latest"])
            return try await session.load(request, as: FeedItem?.self)
        }
    }

    private nonisolated(nonsending) func call<T>(
        _ work: () async throws -> T
    ) async throws(FeedError) -> T {
        do { return try await work() } catch { throw FeedError(error) }
    }
}

@Sendable nonisolated private func countingRetries(_ attempt: RetryAttempt) -> RetryDecision {
    guard case .retry(let delay, _) = attempt.decision else { return .finish }
    var request = attempt.request
    request.setValue("\(attempt.number)", forHTTPHeaderField: "X-Retry-Count")
    return .retry(after: delay, with: request)
}

@Suite(.limited) struct FeedClientTests {
    let network = MockNetwork()

    private var client: FeedClient {
        FeedClient(
            baseURL: URL(string: "https://api.example.com")!, tokens: FeedTokens("t"),
            over: network.urlSession)
    }

    @Test func followsAFeed() async throws {
        let events = """
            event: item
            data: {"title": "Emma"}

            event: ping
            data: 1

            event: item
            data: {"title": "Persuasion"}

            event: item
            data: [DONE]


            """
        network.stub(
            .get("/feeds/{+topic}").header("Authorization", "Bearer t"), .status(503),
            .text(events).header("Content-Type", "text/event-stream"))
        var titles: [String] = []

        try await client.follow("books/new") { titles.append($0.title) }

        #expect(titles == ["Emma", "Persuasion"])
        #expect(network.requests.map { $0.pathValues["topic"] } == ["books/new", "books/new"])
        let counts = network.requests.map { $0.request.value(forHTTPHeaderField: "X-Retry-Count") }
        #expect(counts == [nil, "1"])
    }

    @Test func throwsItsOwnErrors() async throws {
        network.stub(.any, .status(404), times: .any)

        let followed = await #expect(throws: FeedError.self) {
            try await client.follow("books") { _ in }
        }
        let loaded = await #expect(throws: FeedError.self) { try await client.latest("books") }

        for error in [followed, loaded] {
            guard case .refused(404)? = error else {
                Issue.record("\(error as Any)")
                continue
            }
        }
    }

    @Test func hasNoItemYet() async throws {
        network.stub(.get("/feeds/books/latest"), .status(204))

        #expect(try await client.latest("books") == nil)
    }
}
