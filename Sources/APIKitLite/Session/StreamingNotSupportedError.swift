import Foundation

/// An error for a session that cannot stream a response.
public struct StreamingNotSupportedError: LocalizedError, Equatable, Sendable {
    /// The type of the session.
    public let session: String

    /// Creates the error.
    ///
    /// - Parameter session: The type of the session.
    public init(session: String) {
        self.session = session
    }

    /// A sentence that names the session and says what to do.
    public var errorDescription: String? {
        """
        \(session) cannot stream: it implements exchange(_:), but not stream(_:). Implement \
        stream(_:) of HTTPSession in \(session), or load the whole response.
        """
    }
}
