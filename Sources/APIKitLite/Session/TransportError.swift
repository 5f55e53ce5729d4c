import Foundation

/// A transport error for which `URLError` has no code.
public enum TransportError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// The response from this URL is not an `HTTPURLResponse`, for example because the URL is a
    /// `file:` or `data:` URL, or a mock returned a plain `URLResponse`.
    case notHTTP(URL?)
    /// The `URLSession` was invalidated. On Apple platforms, Foundation raises an exception
    /// instead.
    case invalidatedSession
    /// A server redirected a refresh request, which contains a secret, to another origin.
    /// The redirect was not followed. An origin looks like `https://auth.example.com`.
    case refusedRedirect(from: String, to: String)
    /// The app set another credential, or nil, after the request was made, so the request was not
    /// sent, or not sent again: see ``Credentials/credential``.
    case credentialChanged
    /// The reader of a body was too slow, and the unread bytes exceeded this limit. The reader
    /// receives the buffered bytes before this error. See ``HTTPSession/stream(_:buffering:)``.
    case bodyLimit(Int)
    /// The response's body has more bytes than this limit allows. See
    /// ``HTTPSession/limitingBodies(to:)``.
    case bodyTooLarge(limit: Int)
    /// A body that comes in pieces has another reader, or was already read.
    case bodyReadTwice

    /// A sentence for the user.
    public var errorDescription: String? {
        switch self {
        case .notHTTP, .invalidatedSession, .bodyReadTwice: "The request failed."
        case .refusedRedirect: "The server redirected the sign-in to another address."
        case .credentialChanged: "You signed in or out while the request was waiting."
        case .bodyLimit, .bodyTooLarge: "The server sent too much data."
        }
    }

    /// A message that tells a developer what happened and what to do.
    public var description: String {
        switch self {
        case .notHTTP(let url):
            let scheme = url?.scheme.map { "a \($0): URL" } ?? "a URL without a scheme"
            return """
                The response, from \(scheme), is not an HTTPURLResponse, so it has no status. Use \
                an http: or https: URL; in a mock, return an HTTPURLResponse.
                """
        case .invalidatedSession:
            return "The URLSession was invalidated and sends nothing any more. Make a new one."
        case .refusedRedirect(let from, let to):
            return """
                \(from) redirected the refresh of a credential to \(to). That was refused, because \
                the request contains a secret. Send the refresh to \(to) instead.
                """
        case .credentialChanged:
            return """
                The app set another credential after this request was made. The request was not \
                sent, or not sent again, because it may be the previous user's. If the new user \
                needs it, send it again.
                """
        case .bodyLimit(let limit):
            return """
                The response came faster than it was read: more than \(byteCount(limit)) waited. \
                Read without long pauses. Only session.stream(urlRequest, buffering:) lets more \
                bytes wait.
                """
        case .bodyTooLarge(let limit):
            return """
                The body of the response is larger than \(byteCount(limit)). Use stream or download, \
                which do not keep all of it, or allow more with session.limitingBodies(to:).
                """
        case .bodyReadTwice:
            return "The body was read before. Its pieces are not kept: read it in one loop."
        }
    }
}
