import Foundation

/// The error of a request whose credential could not be refreshed.
///
/// The request was not sent with a new credential. A load that fails with this error has the stage
/// ``APIRequestError/Stage/transport``:
///
///     catch let error as APIRequestError {
///         let refresh = error.underlying as? AuthenticationError
///         if refresh?.requiresSignIn == true { showSignIn() }
///     }
public struct AuthenticationError: LocalizedError, CustomStringConvertible, Sendable {
    /// The error of the refresh, with its stage. It has a `statusCode` if the server refused the
    /// refresh token, and none if the connection was lost.
    public let underlying: APIRequestError

    /// Whether the server refused the credential for good, as
    /// ``Authenticator/requiresSignIn(after:)`` decided. The user is then signed out.
    public let requiresSignIn: Bool

    package init(underlying: APIRequestError, requiresSignIn: Bool = false) {
        self.underlying = underlying
        self.requiresSignIn = requiresSignIn
    }

    /// The text for a user, without URLs and secrets.
    public var errorDescription: String? {
        if requiresSignIn { return "The sign-in has expired. Sign in again." }
        return "The sign-in could not be renewed. " + (underlying.errorDescription ?? "")
    }

    /// The text for a developer: why the refresh failed, with secrets redacted.
    public var description: String {
        "\(summary.dropLast()): \(underlying)"
    }
}

extension AuthenticationError: CausedByRequest {
    package var summary: String {
        requiresSignIn
            ? "The server refused to refresh the credential, so the user is signed out."
            : "The credential could not be refreshed."
    }
}
