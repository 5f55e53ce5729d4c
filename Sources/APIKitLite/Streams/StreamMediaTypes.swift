/// The media types whose bodies are streams of elements, in lower case.
package enum StreamMediaTypes {
    /// The type of an event stream (HTML Standard, section 9.2).
    static let events = "text/event-stream"

    /// The types of JSON Lines under all their names. None of them is registered.
    static let jsonLines = [
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl",
        "application/jsonlines", "application/x-jsonlines", "application/json-lines",
        "application/stream+json", "application/x-json-stream",
    ]

    package static let all = Set([events] + jsonLines)
}
