/// One event of a `text/event-stream` (HTML Standard, section 9.2).
public struct ServerSentEvent: Hashable, Sendable {
    /// The type of the event. `message` if the server names none.
    public var event: String

    /// The data. Its lines are separated by LF.
    public var data: String

    /// The ID of this event, or else of the last earlier event with an ID. Empty if there is no
    /// such event.
    public var id: String

    /// Creates an event with these values of its properties.
    public init(event: String = "message", data: String, id: String = "") {
        self.event = event
        self.data = data
        self.id = id
    }

    /// The event as a server sends it: its fields, one on each line, and an empty line.
    ///
    /// The type `message` and an empty ID need no field, and have none. Every line of the data has
    /// a separate field. A type or an ID cannot contain a line break in this format: a space is
    /// written in its place.
    public var text: String {
        var text = ""
        if event != "message", !event.isEmpty { text += "event: \(event.onOneLine)\n" }
        if !id.isEmpty { text += "id: \(id.onOneLine)\n" }
        for line in data.linesOfEvent { text += "data: \(line)\n" }
        return text + "\n"
    }
}

extension String {
    /// The lines of the text, which end as the lines of an event stream do: with LF, CR or CR LF.
    fileprivate var linesOfEvent: [Substring] {
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
    }

    fileprivate var onOneLine: String { linesOfEvent.joined(separator: " ") }
}
