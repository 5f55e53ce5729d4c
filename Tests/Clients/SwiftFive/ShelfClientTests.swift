import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

// A client whose public interface has no type of the library: a closure that sends, one function
// for every output, and a completion handler. The clients in the other modes compile it too.

public enum ShelfError: Error {
    case status(Int)
    case other(any Error)

    init(_ error: any Error) {
        let original = (error as? APIRequestError)?.underlying ?? error
        let status = (original as? UnacceptableStatus)?.statusCode
        self = status.map { .status($0) } ?? .other(original)
    }
}

public struct ShelfClient: Sendable {
    let baseURL: URL
    let session: any HTTPSession

    public init(
        baseURL: URL,
        execute: @escaping @Sendable (URLRequest) async throws -> (Data, URLResponse)
    ) {
        self.baseURL = baseURL
        session = ClosureSession(execute).retrying(
            random: { 0 },
            deciding: { attempt in
                guard case .retry(let delay, _) = attempt.decision else { return .finish }
                var request = attempt.request
                request.setValue("\(attempt.number)", forHTTPHeaderField: "X-Retry-Count")
                return .retry(after: delay, with: request)
            })
    }

    public func get<T: Decodable>(path: String) async throws(ShelfError) -> T {
        do {
            return try await session.load(
                URLRequest("GET", baseURL, path: "/{+path}", ["path": path]), as: T.self)
        } catch {
            throw ShelfError(error)
        }
    }

    @discardableResult
    public func get<T: Decodable & Sendable>(
        path: String, completion: @escaping @Sendable (Result<T, ShelfError>) -> Void
    ) -> Task<Void, Never> {
        Task {
            do throws(ShelfError) {
                completion(.success(try await get(path: path)))
            } catch {
                completion(.failure(error))
            }
        }
    }
}

nonisolated struct Shelf: Decodable, Equatable {
    var name: String
}

@Suite(.limited) struct ShelfClientTests {
    let network = MockNetwork()

    private var client: ShelfClient {
        let session = network.urlSession
        return ShelfClient(baseURL: URL(string: "https://api.example.com")!) { request in
            try await session.data(for: request)
        }
    }

    @Test func getsAnyOutput() async throws {
        network.stub(.get("/shelves/1"), .status(503), .json(#"{"name": "Novels"}"#))
        network.stub(.get("/shelves/2"), .status(204))

        let shelf: Shelf = try await client.get(path: "shelves/1")
        let nothing: Shelf? = try await client.get(path: "shelves/2")

        #expect(shelf == Shelf(name: "Novels"))
        #expect(nothing == nil)
        let counts = network.requests.map { $0.request.value(forHTTPHeaderField: "X-Retry-Count") }
        #expect(counts == [nil, "1", nil])
    }

    @Test func throwsItsOwnErrors() async throws {
        network.stub(.get("/shelves/1"), .status(404))

        let error = await #expect(throws: ShelfError.self) {
            let _: Shelf = try await client.get(path: "shelves/1")
        }
        guard case .status(404)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        await #expect(throws: ShelfError.self) {
            let _: Shelf = try await client.get(path: "shelves/../1")
        }
    }

    @Test func callsACompletionHandler() async {
        network.stub(.get("/shelves/1"), .json(#"{"name": "Novels"}"#))

        let shelf = await withCheckedContinuation { continuation in
            client.get(path: "shelves/1") { (result: Result<Shelf, ShelfError>) in
                continuation.resume(returning: try? result.get())
            }
        }

        #expect(shelf == Shelf(name: "Novels"))
    }
}
