/// The recording that a stub answers from, for error texts.
struct Recording: Sendable {
    struct Entry: Sendable {
        /// The entry of the file, such as `users.har, entry 2`; nil without a file.
        let place: String?
        /// The day of the recording, such as `2026-11-22`; nil if it is not known.
        let day: String?
        let text: String
    }

    /// The recording in a sentence, such as `the archive`.
    let noun: String
    /// The command that records it again; nil if there is none.
    var command: String?
    /// The call with which the last answer repeats.
    let repeating: String
    var entries: [Entry] = []

    /// The place of the first entry, such as `users.har, entry 2, recorded on 2026-11-22`.
    var place: String? {
        entries.first?.place.map { place in
            place + (entries[0].day.map { ", recorded on \($0)" } ?? "")
        }
    }

    /// The places of all entries, such as ` (users.har, entries 1, 3, 4)`.
    var places: String {
        let places = entries.compactMap(\.place)
        guard let first = places.first else { return "" }
        guard places.count > 1 else { return " (\(first))" }
        let others = places.dropFirst().compactMap { $0.split(separator: " ").last }
        let start = first.replacing(", entry ", with: ", entries ")
        return " (\(start), \(others.joined(separator: ", ")))"
    }
}
