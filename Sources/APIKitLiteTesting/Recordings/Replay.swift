import APIKitLite
import Foundation

/// Chooses the archived exchange whose response a request receives.
struct Replay: Sendable {
    let responses: [MockResponse]
    /// The words of each recorded request.
    private let words: [Set<Substring>]
    private let afterLast: Stub.AfterLast

    init(_ archive: HTTPArchive, then afterLast: Stub.AfterLast) {
        responses = archive.map { .exchange($0) }
        words = archive.map(\.request.words)
        self.afterLast = afterLast
    }

    /// Returns the stub that responds to a request, and its response, or nil if no stub responds.
    @Sendable func next(
        of stubs: [Stub], for live: RequestReading
    ) -> (Stub, Stub.NextResponse)? {
        let stubs = stubs.filter { $0.matcher.match(live) != nil }
        guard var recording = stubs.first?.recording else { return nil }
        let sent = stubs.flatMap(\.entries).count > 1 ? live.request.words : []
        return recording.uses.withLock { uses in
            let stubs = stubs.filter { stub in
                let used = stub.entries.reduce(0) { $0 + uses[$1.number] }
                return stub.most.map { used < $0 } ?? true
            }
            let all = stubs.flatMap(\.entries).sorted { $0.number < $1.number }
            let common = all.map { words[$0.number].intersection(sent).count }
            let most = common.max()
            let entries = zip(all, common).filter { $1 == most }.map(\.0)
            guard let last = entries.last else { return nil }
            let next = entries.first { uses[$0.number] == 0 }
            let number = (next ?? last).number
            uses[number] += 1
            let stub = stubs.first { $0.entries.contains { $0.number == number } }!
            guard next == nil, afterLast == .fail else {
                return (stub, .response(responses[number]))
            }
            recording.entries = entries
            return (stub, .usedUp(after: entries.count, of: recording))
        }
    }
}

extension Stub {
    /// The archived exchanges from which the stub responds.
    fileprivate var entries: [Recording.Entry] { recording?.entries ?? [] }
}

extension URLRequest {
    /// The words of the URL, the header values and the text of the body, by which requests are
    /// compared.
    fileprivate var words: Set<Substring> {
        let texts = [url?.absoluteString, exactText(httpBody ?? Data())].compactMap(\.self)
        let all = texts + (allHTTPHeaderFields ?? [:]).values
        return Set(
            all.flatMap { $0.utf8.split(whereSeparator: endsWord.contains).map { Substring($0) } })
    }
}

private let endsWord = Set(" ,;&?/{}[]\"\r\n".utf8)
