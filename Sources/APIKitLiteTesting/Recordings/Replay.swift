import APIKitLite
import Foundation

/// Chooses the exchange of an archive that answers a request.
struct Replay: Sendable {
    /// The exchanges of a stub whose requests have the same secrets.
    private struct Variant: Sendable {
        /// The hashes of the values at the marks.
        let values: [Int: Int]
        /// The words of the secret headers.
        let words: Set<Substring>
        /// The number of headers that must be equal.
        let headerCount: Int
        let exchanges: [Int]
    }

    private let stubs: [Stub]
    private let recording: Recording
    private let responses: [MockResponse]
    private let afterLast: Stub.AfterLast
    private let redaction: Redaction
    /// The variants of each stub.
    private let variants: [[Variant]]
    /// The number of the stub of each exchange.
    private let owners: [Int: Int]
    private let knownWords: Set<Substring>
    /// The numbers of the stubs, by the places of their marks and the hashes without these.
    private var index: [Set<Int>: [Int: [Int]]] = [:]

    /// Creates the choice among stubs, of which each answers a group of exchanges.
    init(
        _ archive: HTTPArchive, _ groups: [[Int]], _ stubs: [Stub], _ patterns: [RequestDigest],
        of recording: Recording, then afterLast: Stub.AfterLast, redacting redaction: Redaction
    ) {
        (self.stubs, self.recording, self.afterLast) = (stubs, recording, afterLast)
        self.redaction = redaction.union(.standard)
        responses = archive.map { .exchange($0) }
        let words = archive.map { [redaction = self.redaction] in $0.request.secretWords(redaction)
        }
        knownWords = words.reduce(into: []) { $0.formUnion($1) }
        variants = groups.map { group in
            let values = group.map { number in
                let reading = RequestReading(RecordedRequest(request: archive[number].request))
                return RequestDigest(reading).values
                    .filter { patterns[number].openPlaces.contains($0.key) }
            }
            return Dictionary(grouping: group.indices) {
                [values[$0].hashValue, words[group[$0]].hashValue]
            }
            .values.map { same in
                Variant(
                    values: values[same[0]], words: words[group[same[0]]],
                    headerCount: archive[group[0]].request.replayedHeaders.count,
                    exchanges: same.map { group[$0] })
            }
        }
        owners = Dictionary(
            uniqueKeysWithValues: groups.enumerated().flatMap { stub, group in
                group.map { ($0, stub) }
            })
        for (number, group) in groups.enumerated() {
            let pattern = patterns[group[0]]
            guard let hash = pattern.hash(without: pattern.openPlaces) else { continue }
            index[pattern.openPlaces, default: [:]][hash, default: []].append(number)
        }
    }

    /// Returns the stub that answers a request, and its response; nil if none does.
    ///
    /// Of the exchanges that match, those are kept that have the most values in common at the marks,
    /// and then those that do not have another known secret in a header in place of the request's.
    /// They answer in order.
    func next(of stubs: [Stub], for reading: RequestReading) -> (Stub, Stub.NextResponse)? {
        let live = RequestDigest(reading)
        let words = reading.request.secretWords(redaction)
        let known = words.intersection(knownWords)
        return recording.uses.withLock { uses in
            func count(_ exchanges: [Int]) -> Int { exchanges.reduce(0) { $0 + uses[$1] } }
            func matching(_ numbers: some Sequence<Int>) -> [Variant] {
                numbers.filter { number in
                    let stub = self.stubs[number]
                    let isUsedUp = stub.most.map {
                        $0 <= count(variants[number].flatMap(\.exchanges))
                    }
                    return isUsedUp != true && stubs.contains { $0 === stub }
                        && stub.matcher.match(reading) != nil
                }.flatMap { variants[$0] }
            }
            let probable = index.flatMap { places, numbers in
                live.hash(without: places).flatMap { numbers[$0] } ?? []
            }
            var found = matching(probable)
            if found.isEmpty { found = matching(self.stubs.indices) }
            found = found.least { $0.values.count { live.values[$0.key] != $0.value } }
            let own = found.filter { $0.words.isSubset(of: words) || known.isSubset(of: $0.words) }
            if !own.isEmpty { found = own }
            let unused = found.filter { $0.exchanges.contains { uses[$0] == 0 } }
            if !unused.isEmpty { found = unused }
            let exchanges = found.least { -$0.headerCount - $0.words.intersection(words).count }
                .flatMap(\.exchanges).sorted()
            guard let last = exchanges.last else { return nil }
            var next = exchanges.first { uses[$0] == 0 }
            let isOver = next == nil
            if afterLast == .startOver { next = exchanges.min { uses[$0] < uses[$1] } }
            let number = next ?? last
            uses[number] += 1
            let stub = self.stubs[owners[number]!]
            guard isOver, afterLast == .fail else { return (stub, .response(responses[number])) }
            var part = recording
            part.entries = exchanges.map { recording.entries[$0] }
            return (stub, .usedUp(count(exchanges), of: part))
        }
    }
}

extension Array {
    /// Returns the elements with the least value.
    fileprivate func least(_ value: (Element) -> Int) -> [Element] {
        let values = map(value)
        let least = values.min()
        return zip(self, values).filter { $1 == least }.map(\.0)
    }
}

extension URLRequest {
    /// The words of the headers that have secret names.
    fileprivate func secretWords(_ redaction: Redaction) -> Set<Substring> {
        let headers = (allHTTPHeaderFields ?? [:]).filter { redaction.hides($0.key, $0.value) }
        return Set(headers.values.flatMap { $0.split { " ,;=\"".contains($0) } })
    }

    /// The names of the headers on which the answer depends.
    var replayedHeaders: [String] {
        (allHTTPHeaderFields ?? [:]).keys.filter { name in
            let name = name.lowercased()
            return name == "range" || name == "last-event-id" || name.hasPrefix("if-")
        }.sorted()
    }
}
