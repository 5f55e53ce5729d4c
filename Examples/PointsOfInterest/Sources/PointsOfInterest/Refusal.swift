import APIKitLite
import Foundation

/// The server's own error, the body of a response to a request that it refuses: `{"error": "…"}`.
public struct Refusal: Codable, Equatable, LocalizedError {
    /// A sentence for the user.
    public let error: String

    /// Creates a refusal.
    public init(error: String) {
        self.error = error
    }

    /// The sentence. It is the `localizedDescription` of an `APIRequestError`, too.
    public var errorDescription: String? { error }

    /// Throws the server's error, if the status is not 2xx. Each request calls it.
    static func check(_ data: Data, _ response: HTTPURLResponse) throws {
        do {
            try response.validateStatus()
        } catch {
            throw (try? JSONDecoder().decode(Refusal.self, from: data)) ?? error
        }
    }
}

/// A request of this API: its errors are those of the server.
public protocol PlacesRequest: APIRequest {}

extension PlacesRequest {
    /// Throws a ``Refusal``, if the server sent one.
    public func validateResponse(data: Data, response: HTTPURLResponse) throws {
        try Refusal.check(data, response)
    }
}
