/// Where the answers of a stub come from, if they were recorded, for error texts.
struct Recording: Sendable {
    /// One exchange.
    struct Entry: Sendable {
        /// The entry of the file, such as `users.har, entry 2`; nil for no file.
        let place: String?
        /// The day of the recording, such as `2026-11-22`; nil if it is not known.
        let day: String?
        /// The request and the answer.
        let text: String
    }

    /// The recording as the subject of a sentence.
    let noun: String
    /// The command that records it again; nil if there is none.
    var command: String?
    /// The call that repeats the last answer.
    let repeating: String
    /// The exchanges of one stub, in order.
    var entries: [Entry] = []

    /// The first entry, such as `users.har, entry 2, recorded on 2026-11-22`.
    var place: String? {
        entries.first?.place.map { place in
            place + (entries[0].day.map { ", recorded on \($0)" } ?? "")
        }
    }

    /// All entries, such as ` (users.har, entries 1, 3, 4)`.
    var places: String {
        let places = entries.compactMap(\.place)
        guard let first = places.first else { return "" }
        guard places.count > 1 else { return " (\(first))" }
        let others = places.dropFirst().compactMap { $0.split(separator: " ").last }
        let start = first.replacing(", entry ", with: ", entries ")
        return " (\(start), \(others.joined(separator: ", ")))"
    }
}
