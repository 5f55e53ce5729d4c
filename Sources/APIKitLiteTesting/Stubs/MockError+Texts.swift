import APIKitLite
import Foundation

extension MockError {
    /// Returns the error for a request that matches a stub with `times: .never`.
    static func forbidden(_ record: RecordedRequest, by stub: Stub) -> MockError {
        MockError(
            """
            \(record.line) must never be made: the stub for \(stub.label) says times: .never.
            """)
    }

    /// Returns the error for a request that arrives after a stub's last response.
    static func usedUp(
        _ record: RecordedRequest, _ stub: Stub, after count: Int, of recording: Recording?
    ) -> MockError {
        let last = count == 1 ? "only response" : "last of the \(count) responses"
        let source =
            recording.map { "\($0.noun)\($0.places).\nIf the client polls: \($0.repeating)" }
            ?? "the stub for \(stub.label). Add a response, or omit then: .fail."
        return MockError("\(record.line) came after the \(last) of \(source)")
    }

    /// Returns the error for a request that networks keep passing to themselves or to each other.
    static func passedToItself(_ record: RecordedRequest, by stub: Stub) -> MockError {
        MockError(
            """
            \(record.line) would come back to this network forever: the stub for \(stub.label) \
            passes it to a session of the network itself, or to a network that passes it back. Pass it to a session that reaches the real host, such as one of \
            intercepting(_:).
            """)
    }

    /// Returns the error for a request to which no stub responds. The message shows the request,
    /// the nearest stub, if any, with its differences from the request, and usually a `stub(…)`
    /// line that would respond to the request.
    static func unmatched(
        _ reading: RequestReading, among stubs: [Stub], of sourceLocation: String?
    ) -> MockError {
        let body = reading.shownBody.map { ", with the body \($0)" } ?? ""
        let request = reading.record.line + body
        // If all stubs come from recordings, the message suggests a new recording instead of a
        // stub.
        let recording = stubs.allSatisfy { $0.recording != nil } ? stubs.last?.recording : nil
        var lines = [
            recording.map { "There is no response in \($0.noun) to \(request)." }
                ?? "No stub responds to \(request)."
        ]
        if let (stub, report) = nearest(to: reading, among: stubs) {
            // A request that just got its response may not be counted yet.
            let count = stub.most ?? stub.callCount
            let advice =
                "To respond more often, change its times: to .exactly(\(count + 1)) or .any."
            let usedUp =
                report.isMatch ? " is used up: \(count) of \(count) responses sent. \(advice)" : ":"
            let noun = recording == nil ? "stub" : "request"
            let among =
                stubs.count == 1 ? "The only \(noun)" : "The nearest of \(stubs.count) \(noun)s"
            let text = report.description
            lines += [
                "\(among) (\(stub.sourceLocation))\(usedUp)",
                text.isEmpty ? "  ✓ any request" : text,
            ]
        } else {
            let place = sourceLocation.map { " (\($0))" } ?? ""
            lines.append("This network\(place) has no stubs and no handler.")
        }
        lines +=
            recording.map { $0.skipped(for: reading) + $0.advice }
            ?? ["This would respond to it:", "  \(reading.shown.suggestedStub)"]
        return MockError(lines.joined(separator: "\n"), isUnmatched: true)
    }

    /// Returns the stub to show in the error message: the newest stub that matches but is used up
    /// or, if there is none, the stub whose report has the most points. If several stubs have the
    /// most points, returns the newest of them.
    private static func nearest(
        to reading: RequestReading, among stubs: [Stub]
    ) -> (Stub, MatchReport)? {
        var best: (stub: Stub, report: MatchReport)?
        for stub in stubs.reversed() {
            reading.record.pathValues = [:]
            let report = stub.matcher.report(on: reading)
            if report.areCriteriaMet { return (stub, report) }
            if report.points > best?.report.points ?? -1 { best = (stub, report) }
        }
        return best
    }
}

extension Recording {
    /// Returns up to three lines, one for each skipped entry whose URL has the path of the request
    /// or cannot be read.
    fileprivate func skipped(for reading: RequestReading) -> [String] {
        skipped.filter { $0.url.map { URLParts($0).path == reading.url.path } ?? true }.prefix(3)
            .map { "Skipped when the file was read: \($0.text)." }
    }

    /// The last lines of the error message for a request to which nothing responds.
    fileprivate var advice: [String] {
        [
            "If the request is right, record it again"
                + (command.map { ": \($0)" } ?? "."),
            "If a value differs in each run, hide it by its name: redacting: .standard.adding(\"…\")",
        ]
    }
}
