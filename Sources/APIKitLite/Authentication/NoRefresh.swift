import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The refresh of a credential that cannot be refreshed. Nothing is ever sent.
public struct NoRefresh<Credential>: APIRequest, Sendable {
    /// Why there is no new credential.
    public struct Unavailable: LocalizedError, Equatable {
        /// A sentence for the developer who called a credential stale.
        public var errorDescription: String? {
            "This credential cannot be refreshed. Give its authenticator a refresh request, or set "
                + "another credential."
        }
    }

    /// - Throws: ``Unavailable``, always.
    public func makeRequest(from credential: Credential) throws -> URLRequest {
        throw Unavailable()
    }

    /// - Throws: ``Unavailable``, always.
    public func parseResponse(data: Data) throws -> Credential {
        throw Unavailable()
    }
}
