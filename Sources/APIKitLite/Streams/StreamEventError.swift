import Foundation

/// The error that a server sent as an event of the type `error`.
///
/// Its texts hide secrets in the data of the event. The event itself is complete.
public struct StreamEventError: LocalizedError, RedactingError {
    /// The event.
    public let event: ServerSentEvent

    /// Creates the error.
    ///
    /// - Parameter event: The event.
    public init(event: ServerSentEvent) {
        self.event = event
    }

    /// The text for a developer, with the beginning of the data.
    public var description: String { redactedDescription }

    /// The text for a user.
    public var errorDescription: String? { "The server reported an error in its answer." }

    package func sentences(redacting redaction: Redaction) -> [String] {
        let data = redaction.element(event.data).excerpt()
        return [
            "The server sent an event of the type \(event.event.debugDescription).",
            "Data: \(data)",
        ]
    }
}
