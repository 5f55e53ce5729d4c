import APIKitLite
import APIKitLiteTesting
import TestSupport

// The samples of Errors.md.

private typealias User = ClientSamples.User
private typealias NewUserRequest = ClientSamples.NewUserRequest

// MARK: The server's own errors

/// The problem details of RFC 9457.
struct Problem: Decodable, LocalizedError {
    var title: String
    var detail: String?

    var errorDescription: String? { detail ?? title }
}

protocol ShopRequest: APIRequest {}

extension ShopRequest {
    func validateResponse(data: Data, response: HTTPURLResponse) throws {
        do {
            try response.validateStatus()
        } catch {
            guard response.mimeType == "application/problem+json" else { throw error }
            throw try JSONDecoder().decode(Problem.self, from: data)
        }
    }
}

private struct UserRequest: ShopRequest {
    typealias ResponseDataType = User

    let baseURL: URL

    func makeRequest(from id: Int) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: "/users/{id}", ["id": id])
    }
}

// MARK: The app's own errors

enum ShopError: LocalizedError {
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

private struct ShopAPI {
    let baseURL: URL
    let session: any HTTPSession

    init(_ baseURL: URL, over session: any HTTPSession) {
        (self.baseURL, self.session) = (baseURL, session)
    }
}

extension ShopAPI {
    func user(_ id: Int) async throws(ShopError) -> User {
        try await call { try await session.load(UserRequest(baseURL: baseURL), id) }
    }

    nonisolated(nonsending) func call<T>(
        _ work: () async throws -> T
    ) async throws(ShopError) -> T {
        do { return try await work() } catch { throw ShopError(error) }
    }
}

@Suite(.limited) private struct ErrorsSamples {
    private let network = MockNetwork()
    private let baseURL = URL(string: "https://api.example.com")!

    @Test func quotesTheServer() async throws {
        let network = MockNetwork()
        let api = ShopAPI(baseURL, over: network)
        network.stub(
            .get("/users/{id}"),
            .json(
                #"{"title": "Gone", "detail": "Emma has left."}"#, status: 410,
                headers: ["Content-Type": "application/problem+json"]))

        let error = await #expect(throws: ShopError.self) { try await api.user(42) }

        #expect(error?.localizedDescription == "Emma has left.")
    }

    @Test(
        arguments: [
            (.error(.notConnectedToInternet), "You are offline."),
            (.text("{}", status: 500), "500"),
        ] as [(MockResponse, String)])
    func describesOtherErrors(_ response: MockResponse, _ text: String) async throws {
        network.stub(.any, response)
        let api = ShopAPI(baseURL, over: network)

        let error = try await #require(throws: ShopError.self) { try await api.user(42) }

        #expect(error.localizedDescription.contains(text))
        if case .other(let other) = error {
            #expect((other as? APIRequestError)?.statusCode == 500)
        }
    }

    @Test func readsAnErrorOfOneCall() async throws {
        let session = network
        var message: String?
        network.stub(.any, .json(#"{"title": "Too many names"}"#, status: 422))

        do {
            try await session.load(NewUserRequest(), User(name: ""))
        } catch  where error.statusCode == 422 {
            message = try? error.decodeBody(Problem.self).title
        } catch {
            message = error.localizedDescription
        }

        #expect(message == "Too many names")
    }
}
