import APIKitLite

extension Recording {
    /// Returns the skipped entries of the file that have the path of a request or no readable URL.
    func skipped(for reading: RequestReading) -> [String] {
        skipped.filter { $0.url.map { URLParts($0).path == reading.url.path } ?? true }.prefix(3)
            .map { "Skipped when the file was read: \($0.text)." }
    }

    /// The last lines of the error message for a request to which nothing responds.
    var advice: [String] {
        [
            "If the request is right, record it again"
                + (command.map { ": \($0)" } ?? "."),
            "If a value differs in each run, hide it by its name: redacting: .standard.adding(\"…\")",
        ]
    }

    /// Returns what `verify()` reports about a recording's stubs: each exchange that was not used.
    static func findings(of stubs: [Stub]) -> [String] {
        let uses = stubs.first?.recording?.uses.withLock { $0 } ?? []
        return stubs.filter(\.times.isAtLeast).flatMap { stub in
            let entries = stub.recording?.entries ?? []
            let unused = entries.filter { uses[$0.number] == 0 }
            // A client that already has a new token does not send the old token, so the recorded
            // 401 stays unused.
            return unused.count < entries.count ? unused.filter { !$0.isUnauthorized } : unused
        }.map { entry in
            let place = entry.place.map { " (\($0))" } ?? ""
            return "Not used: \(entry.text)\(place). Record again, or pass times: .any."
        }
    }
}
