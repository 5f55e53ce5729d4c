import APIKitLite

extension Recording {
    /// Returns the error for a request that arrives after its last recorded response.
    func usedUp(_ record: RecordedRequest, at number: Int) -> MockError {
        let count = "\(entries.count) \(entries.count == 1 ? "answer" : "answers")"
        return MockError(
            .usedUp,
            """
            \(record.line) came \(number) times, but \(noun) has \(count) to it\(places).
            If the client polls: \(repeating)
            """)
    }

    /// Returns the skipped entries of the file that have the path of a request, or no readable URL.
    func skipped(for reading: RequestReading) -> [String] {
        skipped.filter { $0.url.map { URLParts($0).path == reading.url.path } ?? true }.prefix(3)
            .map { "Skipped when the file was read: \($0.text)." }
    }

    /// The last lines of the error message for a request that nothing answers.
    var advice: [String] {
        [
            "If the request is right, record it again"
                + (command.map { ": \($0)" } ?? "."),
            "If a value differs in each run, hide it by its name: redacting: .standard.adding(\"…\")",
        ]
    }

    /// Returns the finding of `verify()` about unused exchanges, or nil if there are none.
    static func finding(of stubs: [Stub]) -> String? {
        guard let recording = stubs.first?.recording else { return nil }
        let uses = recording.uses.withLock { $0 }
        let unused = stubs.filter(\.times.isAtLeast).flatMap { stub in
            let entries = stub.recording?.entries ?? []
            let unused = entries.filter { uses[$0.number] == 0 }
            // A client that already has a new token does not send the old one, so the recorded 401
            // stays unused.
            return unused.count < entries.count ? unused.filter { !$0.isUnauthorized } : unused
        }
        guard !unused.isEmpty else { return nil }
        let all = stubs.reduce(0) { $0 + ($1.recording?.entries.count ?? 0) }
        let lines = unused.prefix(UnansweredRequests.limit).map { entry in
            "  " + (entry.place.map { "\($0): " } ?? "") + entry.text
        }
        let more = unused.count > lines.count ? ["  and \(unused.count - lines.count) more"] : []
        return """
            \(unused.count) of \(all) \(all == 1 ? "exchange" : "exchanges") of \(recording.noun) \
            \(unused.count == 1 ? "was" : "were") not used:
            \((lines + more).joined(separator: "\n"))
            If the client no longer sends them, record again. If it sends them only sometimes: \
            times: .any
            """
    }
}
