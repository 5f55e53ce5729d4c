import Foundation

/// A redirect led to another origin, with a request that is a secret itself, as the refresh of a
/// credential is. It was not followed, or its answer not used.
///
/// Where that origin may have the credential, name it among the URLs of ``Credentials``.
public struct RefusedRedirectError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// The origin that the request was for, as in `https://auth.example.com`.
    public let from: String
    /// The origin that the redirect leads to.
    public let to: String

    /// A redirect that is not followed.
    public init(from: String, to: String) {
        self.from = from
        self.to = to
    }

    /// A sentence that names both origins.
    public var errorDescription: String? {
        "\(from) redirected to \(to), which the request is not meant for."
    }

    /// What happened, and what to do about it.
    public var description: String {
        """
        \(from) redirected a request that carries a credential to \(to). That was refused. If \
        \(to) may have the credential, name it among the URLs of the Credentials: \
        Credentials(…, for: baseURL, URL(string: "\(to)")!).
        """
    }
}
