/// An error whose description is shown as it is: that of a mock, which hides nothing from a test.
package protocol UnredactedError: Error, CustomStringConvertible {}

/// An error whose texts are for developers, not for users.
protocol DeveloperError: Error {}

/// An error that quotes a text of the server, and redacts it.
protocol RedactingError: Error, CustomStringConvertible, OpaquelyReflected {
    /// The description, with the secrets of a redaction hidden.
    func text(redacting redaction: Redaction) -> String

    /// Whether the body of the response says more about the error.
    var needsBody: Bool { get }
}
