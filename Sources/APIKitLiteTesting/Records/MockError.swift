import APIKitLite
import Foundation

/// The error for a request to which a mock could not respond, or for something that a mock needs
/// but does not have, such as a fixture or a port.
public struct MockError: DescribedError, UnredactedError, Sendable {
    /// Whether no stub matches the request.
    let isUnmatched: Bool

    /// A message that says what happened and what to do about it.
    public let description: String

    init(_ description: String, isUnmatched: Bool = false) {
        self.description = description
        self.isUnmatched = isUnmatched
    }

    /// Returns the error for a client that cannot receive a response because the response is not
    /// HTTP.
    static func notHTTP(_ request: URLRequest) -> MockError {
        MockError(
            """
            The handler returned a plain URLResponse to \(request.line(redacting: .none)). \
            Only a URLSession can receive one. With the network as the session, or over a socket, \
            return an HTTPURLResponse.
            """)
    }
}
