import APIKitLite

/// The recording from which a stub responds, as error messages name it.
struct Recording: Sendable {
    /// The place of an entry in a file, such as `users.har, entry 2`.
    struct Place: Sendable, CustomStringConvertible {
        let file: String
        /// The number of the entry, counted from 1.
        let number: Int

        var description: String { "\(file), entry \(number)" }
    }

    struct Entry: Sendable {
        /// The index of the entry's exchange in the archive.
        let number: Int
        /// Whether the response is a 401.
        let isUnauthorized: Bool
        /// The entry's place in its file; nil for a recording that was not read from a file.
        let place: Place?
        let text: String
        /// The words of the request, by which requests are compared.
        let words: Set<Substring>
    }

    /// A file's entry that cannot be replayed.
    struct Skipped: Sendable {
        /// The URL of the request; nil if the URL cannot be read.
        let url: String?
        /// The entry's number, and why the entry was skipped.
        let text: String
    }

    /// How to refer to the recording in a sentence, such as `the archive`.
    let noun: String
    /// The command that makes a new recording; nil if there is no such command.
    var command: String?
    /// The call that makes the last response repeat.
    let repeating: String
    var entries: [Entry] = []
    /// How often each exchange of the archive was used.
    var uses = Locked<[Int]>([])
    /// The entries of the file that were skipped.
    var skipped: [Skipped] = []

    /// The places of all entries, such as ` (users.har, entries 1, 3, 4)`.
    var places: String {
        let places = entries.compactMap(\.place)
        guard places.count > 1 else { return places.first.map { " (\($0))" } ?? "" }
        let numbers = places.map { "\($0.number)" }.joined(separator: ", ")
        return " (\(places[0].file), entries \(numbers))"
    }
}
