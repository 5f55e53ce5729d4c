import APIKitLite
import Foundation

/// How a mock responds to one request.
///
/// Usually, a `MockResponse` creates the reply for the request.
enum Reply: Sendable {
    /// Passes the parts of the response to a delivery, one after another, and waits between them.
    /// The response ends when the function returns, or fails with the error that the function
    /// throws.
    typealias Function = @Sendable (Delivery) async throws -> Void

    /// A complete response, or an error, that waits for nothing.
    case now(ResponsePart)
    /// Any other response: what it waits for first, the stream if the test sends the body, and the
    /// function that delivers the response.
    case later(WaitReason, OpenStream? = nil, Function)
}

/// What the response to a request is waiting for.
enum WaitReason: Sendable {
    /// The release of a held response.
    case release
    /// The return of a handler or of the network's closure.
    case handler
    /// The session to which the request is passed.
    case session
    case clock
    /// The return of the closure that writes a stream.
    case writer
    /// The test, which sends a stream.
    case test
    /// The client, which has not yet taken a piece of a stream.
    case reader
    /// Nothing: only a timeout or a cancellation ends the response.
    case nothing
}
