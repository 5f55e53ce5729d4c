import APIKitLite
import Foundation

/// An error of a mock: for example, no stub responds to a request, a fixture is missing, or a port
/// is taken.
public struct MockError: DescribedError, UnredactedError, Sendable {
    /// Whether the error is that nothing responds to a request.
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

/// An error whose `localizedDescription` is its description.
protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}
