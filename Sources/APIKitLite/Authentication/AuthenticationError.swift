import Foundation

/// The credential of a request had to be refreshed, and that failed. The request itself was not
/// sent again.
///
/// A load ends with it in stage ``APIRequestError/Stage/transport``. Whether the user has to sign
/// in again depends on why:
///
///     catch let error as APIRequestError {
///         let refresh = (error.underlying as? AuthenticationError)?.underlying
///         if refresh?.statusCode == 400 || refresh?.statusCode == 401 { logOut() }
///     }
public struct AuthenticationError: LocalizedError, CustomStringConvertible, Sendable {
    /// What went wrong in the refresh, at which step: a refused refresh token has a `statusCode`, a
    /// lost connection has none.
    public let underlying: APIRequestError

    /// A refresh that failed.
    public init(underlying: APIRequestError) {
        self.underlying = underlying
    }

    /// A sentence that a user may read.
    public var errorDescription: String? {
        "The sign-in could not be renewed. " + (underlying.errorDescription ?? "")
    }

    /// What failed in the refresh, for a developer, without secrets.
    public var description: String {
        "The credential could not be refreshed: " + underlying.description
    }
}

extension AuthenticationError: CausedByRequest {
    package var summary: String { "The credential could not be refreshed." }
}
