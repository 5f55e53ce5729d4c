import APIKitLite
import Foundation

extension Stub.Group {
    /// Chooses the archived exchange whose response a request receives. Returns its stub and the
    /// response, or nil if no stub responds.
    func nextRecorded(for live: RequestReading) -> (Stub, Stub.NextResponse)? {
        let stubs = stubs.filter { $0.matcher.match(live) != nil }
        guard var recording = stubs.first?.recording else { return nil }
        let exchanges = stubs.map { ($0, $0.exchanges) }
        // Splitting a body takes too long for a lock.
        let sent = exchanges.flatMap(\.1).count > 1 ? live.request.words : []
        return recording.uses.withLock { uses in
            let all = exchanges.filter { stub, exchanges in
                let used = exchanges.reduce(0) { $0 + uses[$1.entry.number] }
                return stub.most.map { used < $0 } ?? true
            }.flatMap(\.1).sorted { $0.entry.number < $1.entry.number }
            let common = all.map { $0.entry.words.intersection(sent).count }
            let most = common.max()
            let nearest = zip(all, common).filter { $1 == most }.map(\.0)
            guard let last = nearest.last else { return nil }
            let unused = nearest.first { uses[$0.entry.number] == 0 }
            let next = unused ?? last
            uses[next.entry.number] += 1
            guard unused == nil, case .responses(_, .fail) = next.stub.source else {
                return (next.stub, .response(next.response))
            }
            recording.entries = nearest.map(\.entry)
            return (next.stub, .usedUp(after: nearest.count, of: recording))
        }
    }
}

extension Stub {
    /// The archived exchanges from which the stub responds.
    fileprivate var exchanges: [(stub: Stub, entry: Recording.Entry, response: MockResponse)] {
        guard let recording, case .responses(let responses, _) = source else { return [] }
        return zip(recording.entries, responses).map { (self, $0, $1) }
    }
}

extension URLRequest {
    /// The words of the URL, the header values and the text of the body, by which requests are
    /// compared.
    var words: Set<Substring> {
        let texts = [url?.absoluteString, exactText(httpBody ?? Data())].compactMap(\.self)
        let all = texts + (allHTTPHeaderFields ?? [:]).values
        return Set(
            all.flatMap { $0.utf8.split(whereSeparator: endsWord.contains).map { Substring($0) } })
    }
}

private let endsWord = Set(" ,;&?/{}[]\"\r\n".utf8)
