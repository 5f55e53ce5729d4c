import APIKitLite
import Foundation

// The findings that `verify()` reports.
extension NetworkCore {
    /// Everything that `verify()` reports, in order.
    var findings: [String] {
        let stubs = stubs
        let broken = stubs.flatMap(\.configurationErrors).map(\.description)
        let sound = stubs.filter(\.configurationErrors.isEmpty)
        let misused = sound.filter { $0.recording == nil || !$0.times.isAtLeast }
            .compactMap { stub in stub.finding.map { (stub, $0) } }
        let recorded = Dictionary(
            grouping: sound.filter(\.times.isAtLeast).compactMap(\.recording), by: \.noun)
        let requests = journal.requests
        // The clients are asked outside the journal's lock, because clients have their own locks.
        let awaited = journal.pending.filter(\.client.isWaiting)
        return broken + unanswered.withLock { $0.findings }
            + recorded.sorted { $0.key < $1.key }.flatMap {
                first(of: unusedExchanges(of: $0.value), rest: "exchanges were not used") { $0 }
            }
            + first(of: misused, rest: "stubs were used too rarely or too often") {
                $1 + hint(for: $0, requests)
            }
            + first(of: awaited, rest: "requests are still waited for") {
                $0.finding(among: stubs)
            }
    }

    /// Returns a message for each of the first items, and a message that counts any further items.
    private func first<T>(of items: [T], rest: String, _ text: (T) -> String) -> [String] {
        let excess = items.count - UnansweredRequests.limit
        let more = excess > 0 ? ["and \(excess) more \(rest)."] : []
        return items.prefix(UnansweredRequests.limit).map(text) + more
    }

    /// Returns a message for each recorded exchange that should have been used but was not.
    private func unusedExchanges(of recordings: [Recording]) -> [String] {
        recordings.flatMap { recording in
            let (entries, uses) = (recording.entries, recording.uses.withLock { $0 })
            let unused = entries.filter { uses[$0.number] == 0 }
            // A client that already has a new token does not send the old token, so the recorded
            // 401 stays unused.
            return unused.count < entries.count ? unused.filter { !$0.isUnauthorized } : unused
        }.map { entry in
            let place = entry.place.map { " (\($0))" } ?? ""
            return "Not used: \(entry.text)\(place). Record again, or pass times: .any."
        }
    }

    /// Returns a sentence that says why a stub received no request; "" if the reason is unknown, or
    /// if the stub received a request.
    private func hint(for stub: Stub, _ requests: [RecordedRequest]) -> String {
        if requests.isEmpty { return " \(Self.noRequest)" }
        guard stub.callCount == 0,
            let taken = requests.first(where: { request in
                request.stub != nil && stub.matcher.match(RequestReading(request)) != nil
            }), let other = stubs.first(where: { $0.number == taken.stub })
        else { return "" }
        return " A newer stub, at \(other.sourceLocation), responded to \(taken)."
    }
}

/// The first errors for requests that got no response, and the number of all such errors. A lock in
/// `NetworkCore` guards this value.
struct UnansweredRequests {
    /// The number of errors to keep.
    static let limit = 20

    private(set) var first: [MockError] = []
    private(set) var count = 0

    mutating func add(_ failure: MockError) {
        count += 1
        if first.count < Self.limit { first.append(failure) }
    }

    /// The messages for `verify()`. If there are more errors than the limit, the last message
    /// counts the rest.
    var findings: [String] {
        let rest = count - first.count
        let more = rest == 1 ? "and 1 more request" : "and \(rest) more requests"
        return first.map(\.description) + (rest > 0 ? ["\(more) without a response."] : [])
    }
}
