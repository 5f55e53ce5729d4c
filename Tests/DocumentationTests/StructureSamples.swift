import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

// The samples of the sections about the structure of an app.

struct Book: Codable, Equatable, Sendable {
    var title: String
}

// MARK: The requests

extension URLRequest {
    static func book(_ id: Int, at base: URL) throws -> URLRequest {
        try URLRequest("GET", base, path: "/books/{id}", ["id": id])
    }
}

extension URLRequest {
    static func newBooks(at base: URL) throws -> URLRequest {
        try URLRequest("GET", base, path: "/books/new")
    }
}

// MARK: One type for the API

extension URL {
    static let production = URL(string: "https://api.example.com/v1")!
    static let staging = URL(string: "https://staging.example.com/v1")!
}

struct BooksAPI: Sendable {
    let baseURL: URL
    let anonymous: any HTTPSession
    let signedIn: any HTTPSession
    let credentials: Credentials<String>

    init(_ baseURL: URL, over transport: any HTTPSession = URLSession.shared) {
        let credentials = Credentials<String>(for: baseURL) { token, request in
            try request.authorization(bearer: token)
        }
        self.baseURL = baseURL
        self.credentials = credentials
        let timed = transport.timingOut(after: .seconds(30))
        anonymous = timed.retrying()
        signedIn = timed.authenticated(by: credentials).retrying()
    }

    func book(_ id: Int) async throws -> Book {
        try await anonymous.load(.book(id, at: baseURL), as: Book.self)
    }
}

extension BooksAPI {
    func newBooks() async throws -> [Book] {
        try await signedIn.load(.newBooks(at: baseURL), as: [Book].self)
    }
}

// MARK: A search

extension BooksAPI {
    func search(_ term: String) async throws -> [Book] {
        let request = try URLRequest("GET", baseURL, path: "/books", query: ["q": term])
        return try await anonymous.load(request, as: [Book].self)
    }
}

@MainActor final class SearchModel {
    private(set) var books: [Book] = []
    private(set) var message: String?
    private let api: BooksAPI
    private let clock: any Clock<Duration>

    init(_ api: BooksAPI, clock: any Clock<Duration> = ContinuousClock()) {
        self.api = api
        self.clock = clock
    }

    /// Searches after a pause in typing.
    func search(_ term: String) async {
        guard (try? await clock.sleep(for: .milliseconds(300))) != nil else {
            return
        }
        do {
            books = try await api.search(term)
            message = nil
        } catch let error as APIRequestError where error.isCancellation {
            // The text has changed, or the screen has disappeared.
        } catch {
            message = error.localizedDescription
        }
    }
}

// MARK: The demo

extension BooksAPI {
    /// Answers without a network, for previews and a demo.
    static var demo: BooksAPI {
        let network = MockNetwork()
        network.stub(
            .get("/v1/books"), .json(#"[{"title": "Emma"}]"#), times: .any)
        return BooksAPI(.production, over: network)
    }
}

// MARK: The server's own errors

/// The problem details of RFC 9457.
struct Problem: Decodable, Equatable, LocalizedError {
    var title: String
    var detail: String?
    var status: Int?

    var errorDescription: String? { detail ?? title }
}

extension HTTPURLResponse {
    /// Throws the error of the server, if the status is not 2xx.
    func checkForProblem(in data: Data) throws {
        do {
            try validateStatus()
        } catch {
            if mimeType == "application/problem+json" {
                throw try JSONDecoder().decode(Problem.self, from: data)
            }
            throw error
        }
    }
}

protocol BooksRequest: APIRequest {
    var baseURL: URL { get }
}

extension BooksRequest {
    func validateResponse(data: Data, response: HTTPURLResponse) throws {
        try response.checkForProblem(in: data)
    }
}

struct FindBookRequest: BooksRequest {
    typealias ResponseDataType = Book

    let baseURL: URL

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: "/books/{id}", ["id": id])
    }
}

// MARK: The app's own errors

enum BooksError: LocalizedError {
    case offline
    case problem(Problem)
    case other(any Error)

    init(_ error: any Error) {
        switch (error as? APIRequestError)?.underlying ?? error {
        case let problem as Problem: self = .problem(problem)
        case URLError.notConnectedToInternet: self = .offline
        default: self = .other(error)
        }
    }
}

extension BooksAPI {
    nonisolated(nonsending) func call<T>(
        _ work: () async throws -> T
    ) async throws(BooksError) -> T {
        do { return try await work() } catch { throw BooksError(error) }
    }
}

extension BooksAPI {
    func findBook(_ id: Int) async throws(BooksError) -> Book {
        try await call {
            try await anonymous.load(FindBookRequest(baseURL: baseURL), id)
        }
    }
}

// MARK: A whole client

struct BooksClient: Sendable {
    let baseURL: URL
    let session: any HTTPSession

    func get<T: Decodable>(
        _ path: String, _ values: RequestItems = [:], query: RequestItems = [:]
    ) async throws(BooksError) -> T {
        try await load {
            try URLRequest("GET", baseURL, path: path, values, query: query)
        }
    }

    private func load<T: Decodable>(
        _ request: () throws -> URLRequest
    ) async throws(BooksError) -> T {
        do {
            return try await session.load(request(), as: T.self) {
                try $1.checkForProblem(in: $0)
            }
        } catch {
            throw BooksError(error)
        }
    }
}

extension BooksClient {
    func post<T: Decodable>(
        _ path: String, _ values: RequestItems = [:], body: some Encodable
    ) async throws(BooksError) -> T {
        try await load {
            try URLRequest("POST", baseURL, path: path, values).jsonBody(body)
        }
    }
}

// MARK: The secrets of an app

private protocol ShopRequest: APIRequest {}

extension ShopRequest {
    var redaction: Redaction { .shop }
}

extension Redaction {
    static let shop = Redaction.standard.adding("birthday", "X-Customer")
}

@Suite(.limited) struct StructureSamples {
    static let sold = MockResponse.json(
        #"{"title": "Gone", "detail": "It was sold.", "status": 410}"#, status: 410,
        headers: ["Content-Type": "application/problem+json"])

    let network = MockNetwork()

    @Test func makesARequest() throws {
        let request = try URLRequest.book(7, at: .production)

        #expect(request.url?.absoluteString == "https://api.example.com/v1/books/7")
    }

    @Test func aClientOfThirtyLines() async throws {
        network.stub(.get("/v1/books/{id}"), .json(#"{"title": "Emma"}"#))
        network.stub(.get("/v1/books").query(["q": "emma"]), .json("[]"))
        network.stub(.post("/v1/books"), .status(204), times: .once)
        let client = BooksClient(baseURL: .production, session: network)

        let book: Book = try await client.get("/books/{id}", ["id": 7])
        let found: [Book] = try await client.get("/books", query: ["q": "emma"])
        let nothing: Book? = try await client.post("books", body: book)

        #expect(book.title == "Emma")
        #expect(found.isEmpty)
        #expect(nothing == nil)
        #expect(network.requests.last?.json == #"{"title":"Emma"}"#)
    }

    @Test func everyCallHasTheErrorsOfTheApp() async throws {
        network.stub(
            .any, Self.sold, times: .any)
        let api = BooksAPI(.production, over: network)
        let client = BooksClient(baseURL: .production, session: network)

        let loaded = await #expect(throws: BooksError.self) { try await api.findBook(7) }
        let got = await #expect(throws: BooksError.self) {
            let _: Book = try await client.get("/books/{id}", ["id": 7])
        }
        for error in [loaded, got] {
            guard case .problem(let problem)? = error else {
                Issue.record("\(error as Any)")
                continue
            }
            #expect(problem.title == "Gone")
        }
        network.stub(.any, .error(.notConnectedToInternet), .status(500))
        let offline = await #expect(throws: BooksError.self) {
            let _: Book = try await client.get("/books/{id}", ["id": 7])
        }
        let other = await #expect(throws: BooksError.self) {
            let _: Book = try await client.get("/books/{id}", ["id": 7])
        }
        let unusable = await #expect(throws: BooksError.self) {
            let _: Book = try await client.get("/books/{id}", ["id": ".."])
        }
        guard case .offline = offline, case .other(let broken) = other,
            case .other(let error) = unusable
        else {
            Issue.record("\(offline as Any), \(other as Any), \(unusable as Any)")
            return
        }
        #expect((broken as? APIRequestError)?.statusCode == 500)
        #expect(error is RequestBuildingError)
    }

    @Test func aTestReplacesTheSession() async throws {
        let network = MockNetwork()
        network.stub(.get("/v1/books/{id}"), .json(#"{"title": "Emma"}"#))
        let api = BooksAPI(.staging, over: network)

        let book = try await api.book(7)

        #expect(book.title == "Emma")
        #expect(
            network.requests.map(\.request.url?.host) == ["staging.example.com"])
        try network.verify()
    }

    @Test func asksWithTheTokenOnlyWhereItIsNeeded() async throws {
        network.stub(
            .get("/v1/books/new").header("Authorization", "Bearer t"), .json("[]"), times: .once)
        network.stub(.get("/v1/books/1"), .json(#"{"title": "Emma"}"#))
        let api = BooksAPI(.production, over: network)

        api.credentials.credential = "t"
        _ = try await api.newBooks()
        _ = try await api.book(1)

        #expect(
            network.requests.map { $0.request.value(forHTTPHeaderField: "Authorization") }
                == ["Bearer t", nil])
        try network.verify()
    }

    @Test @MainActor func searchesOnceForQuickTyping() async throws {
        let clock = MockClock()
        network.stub(
            .get("/v1/books").query(["q": "emma"]), .json(#"[{"title": "Emma"}]"#),
            times: .once)
        let api = BooksAPI(.production, over: network)
        let model = SearchModel(api, clock: clock)

        let first = Task { await model.search("em") }
        await clock.waitForSleepers()
        first.cancel()
        await first.value
        async let second: Void = model.search("emma")
        await clock.waitForSleepers()
        await clock.advance(by: .milliseconds(300))
        await second

        #expect(model.books == [Book(title: "Emma")])
        #expect(network.requests.count == 1)
        try network.verify()
    }

    @Test @MainActor func showsTheDemo() async throws {
        let clock = MockClock()
        let model = SearchModel(.demo, clock: clock)

        async let search: Void = model.search("emma")
        await clock.waitForSleepers()
        await clock.advance(by: .milliseconds(300))
        await search

        #expect(model.books == [Book(title: "Emma")])
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

        let session = network.observed(clock: MockClock()) { event in
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
