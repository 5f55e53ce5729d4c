import APIKitLite
import Foundation

/// What decides which recorded requests are equal, and which of them is a request's.
struct ReplayKey: Hashable, Sendable {
    /// A hash of all but the marks.
    let group: Int
    /// The hash of the values that have no marks.
    let rest: Int
    /// The hashes of the values at the marks, by their places.
    let values: [Int: Int]
    /// The hashes of the words in the secret headers.
    let words: Set<Int>
    /// The number of headers that must be equal.
    let headerCount: Int

    init(_ request: URLRequest, _ redacted: RequestReading, _ secretNames: Set<String>) {
        let pattern = RequestDigest(redacted, isPattern: true)
        let reading = RequestReading(RecordedRequest(request: request))
        let marked = RequestDigest(reading, isPattern: true).openPlaces
        let live = RequestDigest(reading).values.filter { marked.contains($0.key) }
        let names = request.replayedHeaders
        let headers = names.map { request.value(forHTTPHeaderField: $0) }
        let origin = "\(redacted.url.scheme)://\(redacted.url.hostAndPort)"
        group = hashed(pattern.hash(without: []), hashed(origin, hashed(names, headers)))
        rest = pattern.hash(without: pattern.openPlaces) ?? 0
        values = Dictionary(
            uniqueKeysWithValues: pattern.openPlaces.map { ($0, live[$0] ?? 0) })
        words = request.words(of: secretNames)
        headerCount = names.count
    }
}

/// The choice of the exchange of an archive that answers a request.
struct Replay: Sendable {
    private let keys: [ReplayKey]
    private let stubs: [Stub]
    /// The names of secret headers.
    private let secretNames: Set<String>
    private let words: Set<Int>
    private let afterLast: Stub.AfterLast
    /// The numbers of the exchanges of each stub.
    private let entries: [[Int]]
    /// The stub and the response of each exchange.
    private let answers: [(stub: Stub, response: MockResponse)]
    /// The numbers of the stubs, by the places of their marks and the hashes of the rest.
    private let index: [Set<Int>: [Int: [Int]]]

    init(
        _ archive: HTTPArchive, _ entries: [[Int]], _ keys: [ReplayKey], _ stubs: [Stub],
        then afterLast: Stub.AfterLast, _ secretNames: Set<String>
    ) {
        (self.keys, self.stubs, self.secretNames) = (keys, stubs, secretNames)
        (self.entries, self.afterLast) = (entries, afterLast)
        answers = zip(entries, stubs).flatMap { entries, stub in entries.map { ($0, stub) } }
            .sorted { $0.0 < $1.0 }.map { ($1, .exchange(archive[$0])) }
        words = keys.reduce(into: []) { $0.formUnion($1.words) }
        index = keys.indices.reduce(into: [:]) { index, number in
            let key = keys[number]
            index[Set(key.values.keys), default: [:]][key.rest, default: []].append(number)
        }
    }

    /// Returns the stub that answers a request, and its response; nil if none does.
    ///
    /// Of the recorded requests that match, those remain that have the most values of the request at
    /// their marks and in other headers that count, and then those that have no other known secret in a header than the request. They
    /// are answered in order.
    @Sendable func next(
        of present: [Stub], for reading: RequestReading
    ) -> (Stub, Stub.NextResponse)? {
        let live = RequestDigest(reading)
        var matches: [Int: Bool] = [:]
        func isMatch(_ number: Int) -> Bool {
            let (group, stub) = (keys[number].group, stubs[number])
            if present.count < stubs.count, !present.contains(where: { $0 === stub }) {
                return false
            }
            let isMatch = matches[group] ?? (stub.matcher.match(reading) != nil)
            matches[group] = isMatch
            return isMatch
        }
        var found = index.flatMap { places, numbers in
            live.hash(without: places).flatMap { numbers[$0] } ?? []
        }.filter(isMatch)
        if found.isEmpty { found = keys.indices.filter(isMatch) }
        let others = found.map { number in
            keys[number].values.count { live.values[$0.key] != $0.value } - keys[number].headerCount
        }
        let fewest = others.min()
        found = zip(found, others).filter { $1 == fewest }.map(\.0)
        let sent = reading.request.words(of: secretNames)
        let known = sent.intersection(words)
        let own = found.filter {
            known.isEmpty || keys[$0].words.isSubset(of: sent)
                || known.isSubset(of: keys[$0].words)
        }
        return next(of: own.isEmpty ? found : own)
    }

    /// Returns the next of the exchanges of several stubs, in their order; nil if there is none.
    private func next(of numbers: [Int]) -> (Stub, Stub.NextResponse)? {
        guard var recording = stubs.first?.recording else { return nil }
        return recording.uses.withLock { uses in
            func count(_ entries: [Int]) -> Int { entries.reduce(0) { $0 + uses[$1] } }
            let entries = numbers.filter { number in
                stubs[number].most.map { count(self.entries[number]) < $0 } ?? true
            }.flatMap { self.entries[$0] }.sorted()
            guard let last = entries.last else { return nil }
            let entry = entries.first { uses[$0] == 0 }
            uses[entry ?? last] += 1
            let (stub, response) = answers[entry ?? last]
            guard entry == nil, afterLast == .fail else { return (stub, .response(response)) }
            let all = stubs.flatMap { $0.recording?.entries ?? [] }
            recording.entries = all.filter { entries.contains($0.number) }
            return (stub, .usedUp(count(entries), of: recording))
        }
    }
}

extension URLRequest {
    /// Returns the hashes of the words in some headers.
    fileprivate func words(of names: Set<String>) -> Set<Int> {
        let headers = (allHTTPHeaderFields ?? [:]).filter { names.contains($0.key.lowercased()) }
        return Set(headers.values.flatMap { $0.split { " ,;=\"".contains($0) }.map(\.hashValue) })
    }

    /// The names of the headers on which the answer depends.
    var replayedHeaders: [String] {
        (allHTTPHeaderFields ?? [:]).keys.filter { name in
            let name = name.lowercased()
            return name == "range" || name == "last-event-id" || name.hasPrefix("if-")
        }.sorted()
    }
}
