import Foundation

/// What ``HTTPSession/send(_:awaiting:)`` waits for, and what the sessions of a chain tell each
/// other about a request: ``body`` or ``head(limit:)``.
///
/// A session that wraps another one passes on the value that it got. Beside its public part, it
/// says of which type the request is, which redirects are followed, and who observes how much of
/// the body was sent.
public struct SendOptions: Sendable {
    /// The number of bytes that may wait for the reader of the body. Nil if the whole response is
    /// awaited.
    public let bufferLimit: Int?

    /// Whether the reader always comes back soon, as one that writes a file does. Then a
    /// `URLSession` on Linux waits up to 10 seconds for it, and not 100 milliseconds, before more
    /// than 2 MiB wait.
    package var hasSteadyReader = false

    /// Which redirects of the request are followed; nil if no session of the chain has decided it.
    package var redirects: RedirectPolicy?

    /// Called with the number of bytes of the body that one attempt has sent so far, and the size
    /// of the body if it is known.
    package var didSend: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)?

    /// Called when a `URLSession` sends the request again, because the server has closed a
    /// kept-alive connection.
    package var didResend: (@Sendable () -> Void)?

    /// The type of the request that is loaded, such as `UserRequest`.
    package var requestType: String?

    /// Where a policy explains the result, if its configuration is part of the cause. The load reads
    /// it, because neither a response nor the error of an app has a place for it.
    package var hint: Locked<String?>?

    /// Waits for the whole response. The body is complete: ``HTTPBody/data`` has all bytes.
    public static let body = SendOptions(bufferLimit: nil)

    /// Waits for the headers. The body follows in pieces.
    ///
    /// - Parameter limit: The number of bytes that may wait for the reader; a value below 1 counts
    ///   as 1. If more arrive, the body ends with ``TransportError/bodyLimit(_:)``.
    public static func head(limit: Int = standardLimit) -> SendOptions {
        SendOptions(bufferLimit: limit)
    }

    /// The number of bytes that may wait for the reader of a stream by default: 64 MiB.
    @usableFromInline static let standardLimit = 64 * 1024 * 1024

    /// Returns the request that follows a redirect, or nil if the response is the final one.
    package func redirectedRequest(
        after response: HTTPURLResponse, from request: URLRequest
    ) -> URLRequest? {
        guard redirects != .refuse else { return nil }
        return APIKitLite.redirectedRequest(after: response, from: request)
    }

    /// Throws if a redirect leads to another origin, and the request must not be sent there.
    package func checkRedirect(from first: URL?, to next: URL?) throws(TransportError) {
        guard redirects == .sameOrigin, let first, let next, first.origin != next.origin else {
            return
        }
        throw .refusedRedirect(from: first.originText, to: next.originText)
    }
}

extension URL {
    /// The origin as text, such as `https://auth.example.com`. It has a port if the URL has one.
    fileprivate var originText: String {
        let host = host() ?? ""
        let port = port.map { ":\($0)" } ?? ""
        return "\(scheme ?? "")://" + (host.contains(":") ? "[\(host)]" : host) + port
    }
}
