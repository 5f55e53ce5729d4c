import APIKitLite
import Foundation

// What an app whose default isolation is the main actor does with policies.

/// Unannotated: its pages are made and parsed on the main actor.
struct ShelfRequest: PagedAPIRequest {
    let baseURL: URL

    func makeRequest(from page: Int) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: "/shelf", query: ["page": page])
    }

    func parseResponse(data: Data) throws -> [Book] {
        MainActor.assertIsolated()
        return try JSONDecoder().decode([Book].self, from: data)
    }

    func nextInput(after books: [Book], response: HTTPURLResponse, from page: Int) -> Int? {
        books.isEmpty ? nil : page + 1
    }
}

// A refresh runs in the background, for whoever waits for it, so it and its token live there too.

nonisolated struct SessionToken: Codable, Equatable {
    var access: String
    var refresh: String
}

nonisolated struct RenewRequest: APIRequest {
    typealias ResponseDataType = SessionToken

    let baseURL: URL

    func makeRequest(from token: SessionToken) throws -> URLRequest {
        try URLRequest("POST", baseURL, path: "/token").formBody(["refresh_token": token.refresh])
    }
}

/// Where the app keeps its token.
final class TokenDrawer {
    private(set) var token: SessionToken?

    init(_ token: SessionToken?) { self.token = token }

    func store(_ token: SessionToken?) { self.token = token }
}

final class Library {
    private(set) var books: [Book] = []
    private(set) var message: String?
    private(set) var isSignedOut = false
    private let tokens: Credentials<SessionToken>
    private let shelf: ShelfRequest
    private let session: any HTTPSession

    init(baseURL: URL, drawer: TokenDrawer, wire: any HTTPSession) {
        tokens = Credentials(drawer.token, for: baseURL) { token, request in
            try request.authorization(bearer: token.access)
        } refresh: { rejection in
            guard let old = rejection.credential else { return nil }
            do {
                return try await rejection.session.load(RenewRequest(baseURL: baseURL), old)
            } catch let error as APIRequestError where error.statusCode == 400 {
                return nil  // This server refuses with a status alone.
            }
        } save: { token in
            await drawer.store(token)
        }
        session = wire.limited(to: 4).authenticated(by: tokens).coalescing()
        shelf = ShelfRequest(baseURL: baseURL)
    }

    var token: SessionToken? { tokens.credential }

    /// Waits until the drawer has the token, or none.
    func settle() async { _ = try? await tokens.value() }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func load() async {
        do {
            for try await book in session.pages(shelf, from: 1).elements { books.append(book) }
        } catch {
            isSignedOut = error.statusCode == 401
            message = error.localizedDescription
        }
    }

    // Without macOS 15 and the like, `for try await` leaves the main actor; this does not.
    func loadPageByPage() async {
        let pages = session.pages(shelf, from: 1).makeAsyncIterator()
        do {
            while let page = try await pages.next() { books += page.value }
        } catch {
            message = error.errorDescription
        }
    }
}
