import Foundation

/// The error of a request whose credential could not be refreshed.
///
/// The request was not sent with a new credential. A load that fails with this error has the stage
/// ``APIRequestError/Stage/transport``. Whether the user must sign in again depends on why the
/// refresh failed:
///
///     catch let error as APIRequestError {
///         let refresh = (error.underlying as? AuthenticationError)?.underlying
///         if refresh?.statusCode == 400 || refresh?.statusCode == 401 { logOut() }
///     }
public struct AuthenticationError: LocalizedError, CustomStringConvertible, Sendable {
    /// The error of the refresh, with its stage. It has a `statusCode` if the server refused the
    /// refresh token, and none if the connection was lost.
    public let underlying: APIRequestError

    package init(underlying: APIRequestError) {
        self.underlying = underlying
    }

    /// The text for a user, without URLs and secrets.
    public var errorDescription: String? {
        "The sign-in could not be renewed. " + (underlying.errorDescription ?? "")
    }

    /// The text for a developer: why the refresh failed, with secrets redacted.
    public var description: String {
        "The credential could not be refreshed: " + underlying.description
    }
}

extension AuthenticationError: CausedByRequest {
    package var summary: String { "The credential could not be refreshed." }
}
