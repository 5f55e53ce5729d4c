import Foundation

/// What ``HTTPSession/send(_:awaiting:)`` waits for: ``body`` or ``head(limit:)``.
///
/// A session that wraps another session passes on the options that it received. The options also
/// tell the inner sessions which redirects to follow, and who observes the exchange.
public struct SendOptions: Sendable {
    /// The maximum number of bytes buffered for the reader, or nil if the whole response is
    /// awaited.
    public let bufferLimit: Int?

    /// What the sessions in a chain tell each other about the request.
    package var context = SendContext()

    /// Waits for the whole response. The body is complete, so ``HTTPBody/data`` has all bytes.
    ///
    /// If a body exceeds the limit of ``HTTPSession/limitingBodies(to:)``, or 1 GiB if there is no
    /// such limit, the request fails with ``TransportError/bodyTooLarge(limit:)``.
    public static let body = SendOptions(bufferLimit: nil)

    /// Waits for the headers. The body follows in pieces.
    ///
    /// - Parameter limit: The maximum number of bytes buffered for the reader. Nil means 64 MiB. A
    ///   value below 1 counts as 1. If the unread bytes exceed the limit, unless they arrived in
    ///   one piece, the body throws ``TransportError/bodyLimit(_:)``.
    public static func head(limit: Int? = nil) -> SendOptions {
        SendOptions(bufferLimit: limit ?? standardLimit)
    }

    /// The default maximum number of bytes buffered for a stream's reader: 64 MiB.
    static let standardLimit = 64 * 1024 * 1024

    /// The default maximum size of a whole body: 1 GiB.
    static let standardBodyLimit = 1024 * 1024 * 1024
}

/// The number of times that a user has signed out or been replaced in this process. If it has grown
/// since a request was made, the request may belong to an earlier user.
let userChanges = Locked(0)

/// What the sessions in a chain tell each other about a request.
package struct SendContext: Sendable {
    /// How many mocks have passed the current task's request on.
    @TaskLocal package static var passes = 0

    /// The request's type, such as `UserRequest`, or the `name` passed to the load, if any.
    var requestType: String?

    /// Which redirects to follow, or nil if no session in the chain has decided.
    var redirects: RedirectRule?

    /// The maximum size of a whole body, or nil if no session in the chain has set a limit.
    var bodyLimit: Int?

    /// Called with the number of body bytes that one attempt has sent so far, and the body's size
    /// if known.
    package var didSend: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)?

    /// Called when a `URLSession` sends the request again because it lost the connection before the
    /// server responded.
    var didResend: (@Sendable () -> Void)?

    /// Called with the name of a credential's closure that threw an error, and with nil when an
    /// attempt begins.
    var didFail: (@Sendable (CredentialCall?) -> Void)?

    /// The value of ``userChanges`` when the request was made. Nil unless the request may have
    /// waited since then, for example for a retry.
    var madeAt: Int?

    /// Sets ``madeAt``, unless it is already set. Call this before the request waits, for example
    /// for a retry.
    mutating func begin(at change: @autoclosure () -> Int = userChanges.withLock { $0 }) {
        madeAt = madeAt ?? change()
    }

    /// Whether the reader always continues soon, like a reader that writes a file. If so, a
    /// `URLSession` on Linux waits for the reader for up to 1 second instead of 100 milliseconds
    /// before it buffers more than 2 MiB.
    var waitsForReader = false
}
