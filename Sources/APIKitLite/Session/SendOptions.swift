import Foundation

/// What ``HTTPSession/send(_:awaiting:)`` waits for: ``body``, ``body(limit:)`` or
/// ``head(limit:)``.
///
/// A session that wraps another one passes on the value that it got, because the sessions of a chain
/// also tell each other with it which redirects are followed, and who observes the exchange.
public struct SendOptions: Sendable {
    /// The number of bytes that may wait for the reader of the body. Nil if the whole response is
    /// awaited.
    public let bufferLimit: Int?

    /// What the sessions of a chain tell each other about the request.
    package var context = SendContext()

    /// Waits for the whole response. The body is complete: ``HTTPBody/data`` has all bytes.
    ///
    /// If a body has more than 1 GiB, or more than ``HTTPSession/limitingBodies(to:)`` allows, the
    /// request fails with ``TransportError/bodyTooLarge(limit:)``.
    public static let body = SendOptions(bufferLimit: nil)

    /// Waits for the whole response, if its body is not too large.
    ///
    /// - Parameter limit: The number of bytes that the body may have, after it was decompressed. If
    ///   it has more, the request fails with ``TransportError/bodyTooLarge(limit:)``.
    public static func body(limit: Int) -> SendOptions {
        var options = body
        options.context.bodyLimit = limit
        return options
    }

    /// Waits for the headers. The body follows in pieces.
    ///
    /// - Parameter limit: The number of bytes that may wait for the reader; a value below 1 counts
    ///   as 1. If more arrive, the body ends with ``TransportError/bodyLimit(_:)``.
    public static func head(limit: Int = standardLimit) -> SendOptions {
        SendOptions(bufferLimit: limit)
    }

    /// The number of bytes that may wait for the reader of a stream by default: 64 MiB.
    public static let standardLimit = 64 * 1024 * 1024

    /// The number of bytes that a whole body may have by default: 1 GiB.
    static let standardBodyLimit = 1024 * 1024 * 1024
}

/// What the sessions of a chain tell each other about a request.
package struct SendContext: Sendable {
    /// How many mocks have passed on the request that the current task sends.
    @TaskLocal package static var passes = 0

    /// The type of the request that is loaded, such as `UserRequest`.
    var requestType: String?

    /// Which redirects of the request are followed; nil if no session of the chain has decided it.
    var redirects: RedirectRule?

    /// The number of bytes that a whole body may have; nil if no session of the chain has decided it.
    package var bodyLimit: Int?

    /// Called with the number of bytes of the body that one attempt has sent so far, and the size
    /// of the body if it is known.
    package var didSend: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)?

    /// Called when a `URLSession` sends the request again, because the server has closed a
    /// kept-alive connection.
    var didResend: (@Sendable () -> Void)?

    /// Whether the reader always comes back soon, as one that writes a file does. Then a
    /// `URLSession` on Linux waits up to 10 seconds for it, and not 100 milliseconds, before more
    /// than 2 MiB wait.
    var waitsForReader = false
}
