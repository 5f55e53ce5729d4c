import APIKitLite
import Foundation

// A client of a catalogue of music, as many packages have it: a closure that sends, a generic `get`,
// and a completion handler for callers without `await`. Each setting of the compiler builds this
// file.

nonisolated struct CatalogError: Error, Equatable {
    /// The status of the response; nil if there is none.
    var status: Int?
    var message: String

    fileprivate init(_ error: any Error) {
        let failure = error as? APIRequestError
        status = failure?.statusCode
        message =
            (try? failure?.decodeBody([String: String].self)["message"])
            ?? error.localizedDescription
    }
}

nonisolated struct Album: Codable, Equatable, Sendable {
    var id: Int
    var title: String
}

nonisolated final class Catalog: Sendable {
    private let baseURL: URL
    private let session: any HTTPSession

    init(
        baseURL: URL, send: @escaping @Sendable (URLRequest) async throws -> (Data, URLResponse)
    ) {
        self.baseURL = baseURL
        session = ClosureSession(send)
    }

    /// Loads what is at a path, such as `albums/7`.
    func get<T: Decodable>(path: String) async throws(CatalogError) -> T {
        do {
            return try await session.load(
                URLRequest("GET", baseURL, path: "/{+path}", ["path": path]), as: T.self)
        } catch {
            throw CatalogError(error)
        }
    }

    /// Loads what is at a path, and calls the completion handler once.
    ///
    /// The handler is called on another thread, so the value must be `Sendable`.
    ///
    /// - Returns: A task that cancels the call.
    @discardableResult
    func get<T: Decodable & Sendable>(
        path: String, completion: @escaping @Sendable (Result<T, CatalogError>) -> Void
    ) -> Task<Void, Never> {
        Task {
            do throws(CatalogError) {
                completion(.success(try await get(path: path)))
            } catch {
                completion(.failure(error))
            }
        }
    }
}
