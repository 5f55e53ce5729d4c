import Foundation

/// An error for a redirect to another origin, when the request itself is a secret.
///
/// The refresh of a credential is such a request. The redirect was not followed, or its response
/// was not used. If that origin may have the credential, add it to the URLs of ``Credentials``.
public struct RefusedRedirectError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// The origin that the request was sent to, such as `https://auth.example.com`.
    public let from: String
    /// The origin that the redirect leads to.
    public let to: String

    /// Creates the error.
    ///
    /// - Parameters:
    ///   - from: The origin that the request was sent to.
    ///   - to: The origin that the redirect leads to.
    public init(from: String, to: String) {
        self.from = from
        self.to = to
    }

    /// A sentence that names both origins.
    public var errorDescription: String? {
        "\(from) redirected to \(to), which the request is not meant for."
    }

    /// What happened, and how to allow it.
    public var description: String {
        """
        \(from) redirected a request that carries a credential to \(to). That was refused. If \
        \(to) may have the credential, name it among the URLs of the Credentials: \
        Credentials(…, for: baseURL, URL(string: "\(to)")!).
        """
    }
}
