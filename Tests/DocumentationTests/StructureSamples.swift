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

    var errorDescription: String? {
        switch self {
        case .offline: NSLocalizedString("You are offline.", comment: "")
        case .problem(let problem): problem.errorDescription
        case .other(let error): error.localizedDescription
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

// MARK: The secrets of an app

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

    @Test func everyCallHasTheErrorsOfTheApp() async throws {
        network.stub(
            .get("/v1/books/{id}"), Self.sold, .error(.notConnectedToInternet), .status(500))
        let api = BooksAPI(.production, over: network)

        var errors: [BooksError] = []
        for _ in 1...3 {
            do {
                _ = try await api.call {
                    try await network.load(
                        .book(7, at: api.baseURL), as: Book.self,
                        validate: { try $1.checkForProblem(in: $0) })
                }
            } catch {
                errors.append(error)
            }
        }

        guard case .problem(let problem)? = errors.first, case .offline = errors[1],
            case .other(let other) = errors[2]
        else {
            Issue.record("\(errors)")
            return
        }
        #expect(problem.title == "Gone")
        #expect(
            errors.map(\.localizedDescription) == [
                "It was sold.", "You are offline.",
                "The server answered 500 (Internal Server Error).",
            ])
        #expect((other as? APIRequestError)?.statusCode == 500)
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

    private struct CustomerRequest: APIRequest {
        var redaction: Redaction { .shop }

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
