import Foundation

/// The refresh of an authenticator without one: it always throws, and sends nothing.
public struct NoRefresh<Credential>: APIRequest, Sendable {
    /// The error of an attempt to refresh a credential that cannot be refreshed.
    public struct UnavailableError: LocalizedError, Equatable {
        /// The text for a developer whose authenticator reports a credential as stale or rejected.
        public var errorDescription: String? {
            "This credential cannot be refreshed. Give its authenticator a refresh request, or set "
                + "another credential."
        }
    }

    /// Throws, because there is no refresh request.
    ///
    /// - Parameter credential: The credential to refresh.
    /// - Throws: ``UnavailableError``, always.
    public func makeRequest(from credential: Credential) throws -> URLRequest {
        throw UnavailableError()
    }

    /// Throws, because there is no refresh response.
    ///
    /// - Parameter data: The body of a response.
    /// - Throws: ``UnavailableError``, always.
    public func parseResponse(data: Data) throws -> Credential {
        throw UnavailableError()
    }
}
