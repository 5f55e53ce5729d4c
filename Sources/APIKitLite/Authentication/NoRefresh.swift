import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The refresh of a credential that cannot be refreshed. Nothing is ever sent.
public struct NoRefresh<Credential>: APIRequest, Sendable {
    /// Why there is no new credential.
    public struct UnavailableError: LocalizedError, Equatable {
        /// A sentence for the developer who called a credential stale.
        public var errorDescription: String? {
            "This credential cannot be refreshed. Give its authenticator a refresh request, or set "
                + "another credential."
        }
    }

    /// - Throws: ``UnavailableError``, always.
    public func makeRequest(from credential: Credential) throws -> URLRequest {
        throw UnavailableError()
    }

    /// - Throws: ``UnavailableError``, always.
    public func parseResponse(data: Data) throws -> Credential {
        throw UnavailableError()
    }
}
