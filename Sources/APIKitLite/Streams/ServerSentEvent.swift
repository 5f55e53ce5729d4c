/// One event of a `text/event-stream` (HTML Standard, section 9.2).
public struct ServerSentEvent: Hashable, Sendable {
    /// The event's type, or `message` if the server does not specify one.
    public var event: String

    /// The data. Its lines are separated by LF.
    public var data: String

    /// The ID of this event, or else of the last event before it with an ID. Empty if there is
    /// none.
    public var id: String

    /// Creates an event.
    public init(event: String = "message", data: String, id: String = "") {
        self.event = event
        self.data = data
        self.id = id
    }

    /// The event as a server sends it, with one field per line, followed by an empty line.
    ///
    /// The type `message` and an empty ID have no field. Every line of the data has a separate
    /// field. A line break in a type or an ID, which this format does not allow, becomes a space.
    public var text: String {
        var text = ""
        if event != "message", !event.isEmpty { text += "event: \(event.onOneLine)\n" }
        if !id.isEmpty { text += "id: \(id.onOneLine)\n" }
        for line in data.linesOfEvent { text += "data: \(line)\n" }
        return text + "\n"
    }
}

extension String {
    /// The lines of the text, which end as in an event stream, with LF, CR or CR LF.
    fileprivate var linesOfEvent: [Substring] {
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
    }

    fileprivate var onOneLine: String { linesOfEvent.joined(separator: " ") }
}
