import APIKitLite
import Foundation

/// Chooses the archived exchange that answers a request.
struct Replay: Sendable {
    private struct Request: Sendable {
        /// The recorded request with a numbered mark for each secret, to compare with a client's
        /// request.
        let pattern: RequestPattern
        /// The words in the request's secret headers.
        let words: Set<String>
        /// The number of headers that a client's request must also have.
        let headerCount: Int
    }

    let responses: [MockResponse]
    private let requests: [Request]
    /// The names of secret headers.
    private let secretNames: Set<String>
    private let words: Set<String>
    private let afterLast: Stub.AfterLast

    init(_ archive: HTTPArchive, _ redaction: Redaction, then afterLast: Stub.AfterLast) {
        let names = archive.flatMap { ($0.request.allHTTPHeaderFields ?? [:]).keys }
        let secretNames = Set(names.map { $0.lowercased() }).filter { redaction.hides($0, nil) }
        let redaction = redaction.numbering(after: archive.lastMark)
        requests = archive.map { exchange in
            let request = RecordedRequest(request: redaction.redacted(exchange.request))
            return Request(
                pattern: RequestPattern(RequestReading(request), redaction),
                words: exchange.request.words(of: secretNames),
                headerCount: exchange.request.replayedHeaders.count)
        }
        responses = archive.map { .exchange($0) }
        words = requests.reduce(into: []) { $0.formUnion($1.words) }
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
        let differences = numbers.map { number in
            requests[number].pattern.differences(from: live) - requests[number].headerCount
        }
        let fewest = differences.min()
        let nearest = Set(zip(numbers, differences).filter { $1 == fewest }.map(\.0))
        let sent = live.request.words(of: secretNames)
        let known = sent.intersection(words)
        let own = nearest.filter { number in
            let words = requests[number].words
            return known.isEmpty || words.isSubset(of: sent) || known.isSubset(of: words)
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

    /// The names of the headers on which the response depends.
    var replayedHeaders: [String] {
        (allHTTPHeaderFields ?? [:]).keys.filter { name in
            let name = name.lowercased()
            return name == "range" || name == "last-event-id" || name.hasPrefix("if-")
        }.sorted()
    }
}
