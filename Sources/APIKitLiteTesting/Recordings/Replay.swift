import APIKitLite
import Foundation

/// Chooses the archived exchange that answers a request.
struct Replay: Sendable {
    let responses: [MockResponse]
    /// The recorded requests with a numbered mark for each secret, to compare with a client's
    /// request.
    private let patterns: [RequestPattern]
    /// The names of secret headers.
    private let secretNames: Set<String>
    /// The words in the secret headers of each recorded request.
    private let words: [Set<String>]
    private let afterLast: Stub.AfterLast

    init(_ archive: HTTPArchive, _ redaction: Redaction, then afterLast: Stub.AfterLast) {
        let names = archive.flatMap { ($0.request.allHTTPHeaderFields ?? [:]).keys }
        let secretNames = Set(names.map { $0.lowercased() }).filter { redaction.hides($0, nil) }
        let redaction = redaction.numbering(after: archive.lastMark)
        patterns = archive.map { exchange in
            let request = RecordedRequest(request: redaction.redacted(exchange.request))
            return RequestPattern(RequestReading(request), redaction)
        }
        words = archive.map { $0.request.words(of: secretNames) }
        responses = archive.map { .exchange($0) }
        (self.secretNames, self.afterLast) = (secretNames, afterLast)
    }

    /// Returns the stub that answers a request, and its response, or nil if no stub does.
    @Sendable func next(
        of stubs: [Stub], for live: RequestReading
    ) -> (Stub, Stub.NextResponse)? {
        let stubs = stubs.filter { $0.matcher.match(live) != nil }
        guard var recording = stubs.first?.recording else { return nil }
        let nearest = nearest(of: stubs.flatMap(\.entries).map(\.number), to: live)
        return recording.uses.withLock { uses in
            func count(_ entries: [Recording.Entry]) -> Int {
                entries.reduce(0) { $0 + uses[$1.number] }
            }
            let stubs = stubs.filter {
                $0.most.map { [used = count($0.entries)] in used < $0 } ?? true
            }
            let entries = stubs.flatMap(\.entries).filter { nearest.contains($0.number) }
                .sorted { $0.number < $1.number }
            guard let last = entries.last else { return nil }
            let next = entries.first { uses[$0.number] == 0 }
            let number = (next ?? last).number
            uses[number] += 1
            let stub = stubs.first { $0.entries.contains { $0.number == number } }!
            guard next == nil, afterLast == .fail else {
                return (stub, .response(responses[number]))
            }
            recording.entries = entries
            return (stub, .usedUp(count(entries), of: recording))
        }
    }

    /// Returns the numbers of the recorded requests that have the most in common with a client's
    /// request.
    ///
    /// Prefers the fewest differences, and then recorded requests whose secret headers fit the
    /// client's.
    private func nearest(of numbers: [Int], to live: RequestReading) -> Set<Int> {
        let differences = numbers.map { patterns[$0].differences(from: live) }
        let fewest = differences.min()
        let nearest = Set(zip(numbers, differences).filter { $1 == fewest }.map(\.0))
        let sent = live.request.words(of: secretNames)
        let known = sent.intersection(words.flatMap(\.self))
        let own = nearest.filter { number in
            known.isEmpty || words[number].isSubset(of: sent) || known.isSubset(of: words[number])
        }
        return own.isEmpty ? nearest : own
    }
}

extension Stub {
    /// The archived exchanges from which the stub answers.
    fileprivate var entries: [Recording.Entry] { recording?.entries ?? [] }
}

extension URLRequest {
    /// Returns the words in these headers.
    fileprivate func words(of names: Set<String>) -> Set<String> {
        let headers = (allHTTPHeaderFields ?? [:]).filter { names.contains($0.key.lowercased()) }
        return Set(headers.values.flatMap { $0.split { " ,;=\"".contains($0) }.map(String.init) })
    }
}
