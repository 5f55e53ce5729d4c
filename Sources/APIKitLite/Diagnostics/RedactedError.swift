/// An error whose description is shown as it is: it is redacted already, or it is that of a mock,
/// which hides nothing from a test.
package protocol RedactedError: Error, CustomStringConvertible {}

extension APIRequestError: RedactedError {}

/// An error whose texts are for developers, not for users.
protocol DeveloperError: Error {}

/// An error that quotes a text of the server, and redacts it.
protocol RedactingError: Error, CustomStringConvertible, OpaquelyReflected {
    /// The description, with the secrets of a redaction hidden.
    func sentences(redacting redaction: Redaction) -> [String]

    /// Whether the body of the response says more about the error. By default, false: the error
    /// quotes what matters.
    var needsBody: Bool { get }
}

extension RedactingError {
    var needsBody: Bool { false }

    /// The description with the secrets of ``Redaction/standard`` hidden.
    var redactedDescription: String {
        sentences(redacting: .standard).joined(separator: "\n")
    }
}
