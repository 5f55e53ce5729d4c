import APIKitLite
import Foundation

/// The error for a request to which a mock could not respond, or for something that a mock needs
/// but does not have, such as a fixture or a port.
public struct MockError: DescribedError, UnredactedError, Sendable {
    /// What a mock could not do.
    package enum Reason: Sendable {
        /// `MockURLProtocol.requestHandler` is not set.
        case noHandler
        /// The handler was set to `nil` before the mock called it for this request.
        case handlerCleared
        /// No stub matches the request.
        case unmatched
        /// A stub with ``Stub/Times/never`` matches the request.
        case forbidden
        /// The matching stub has used all of its responses, and is set to fail afterwards:
        /// ``Stub/AfterLast/fail``.
        case usedUp
        /// The matching stub has a configuration error, such as a body that is not JSON.
        case brokenStub
        /// The session's network was released.
        case networkGone
        /// Foundation offers no way to mock this kind of task.
        case unsupportedTask
        /// A ``MockURLSession`` has neither a response nor an error.
        case noResponse
        /// A handler returned a plain `URLResponse` to a client that supports only HTTP: the
        /// network as the session, or a client on a socket.
        case notHTTP
        /// A test sends a piece to a stub without a stream response: see `Stub.send(_:)`.
        case noStream
        /// A test waits for the reader of a response, but nothing shows what the reader has read:
        /// see `Stub.waitForReader()`.
        case noReader
        /// None of the searched folders contains the fixture.
        case noFixture
        /// A server cannot use the requested port.
        case cannotListen
    }

    /// What the mock could not do.
    package let reason: Reason

    /// A message that says what happened and what to do about it.
    public let description: String

    init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }

    /// Returns the error for a client that cannot receive a response because it is not HTTP.
    static func notHTTP(_ request: URLRequest) -> MockError {
        MockError(
            .notHTTP,
            """
            The handler returned a plain URLResponse to \(request.line(redacting: .none)). \
            Only a URLSession can receive one. With the network as the session, or over a socket, \
            return an HTTPURLResponse.
            """)
    }
}
