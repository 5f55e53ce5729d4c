import Foundation

/// A mock's error, whose description is shown unredacted, because a mock hides nothing from a test.
package protocol UnredactedError: Error, CustomStringConvertible {}

/// An error that quotes the server's text without secrets.
protocol RedactingError: Error, CustomStringConvertible, OpaquelyReflected {
    /// Returns the description without the secrets that a redaction hides.
    func text(redacting redaction: Redaction) -> String

    /// Whether the response's body says more about the error.
    var needsBody: Bool { get }
}

/// A value that may hold a credential. `dump(_:)`, a debugger and a failed expectation show only
/// its description.
package protocol OpaquelyReflected: CustomReflectable, CustomStringConvertible {}

extension OpaquelyReflected {
    /// The name of the type.
    public var description: String { "\(Self.self)" }

    /// A mirror without children, so that only the description is shown.
    public var customMirror: Mirror {
        Mirror(self, children: [], displayStyle: .struct, ancestorRepresentation: .suppressed)
    }
}
