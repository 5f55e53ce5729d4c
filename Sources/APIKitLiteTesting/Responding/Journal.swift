import APIKitLite
import Foundation

/// The requests that a mock received, oldest first, in bounded memory, and those that it has not
/// answered yet.
///
/// `state` has its own lock.
final class Journal: Sendable {
    /// The recorded requests and the unanswered ones.
    private struct State {
        /// May exceed the limit by a quarter.
        var entries: [RecordedRequest] = []
        /// The ID of the first entry. Each entry has the next ID.
        var firstID = 0
        var limit = 10_000
        /// The unanswered requests by ID, including those that are not in `entries` any more.
        var inFlight: [Int: PendingRequest] = [:]
        var mostInFlight = 0
        /// The number of changes.
        var eventCount = 0

        mutating func trim(to limit: Int) {
            let excess = entries.count - limit
            guard excess > 0 else { return }
            entries.removeFirst(excess)
            firstID += excess
        }

        mutating func change(_ id: Int, _ change: (inout RecordedRequest) -> Void) {
            eventCount += 1
            let index = id - firstID
            if entries.indices.contains(index) { change(&entries[index]) }
        }
    }

    private let state = Locked(State())
    /// How much of each body is kept.
    private let bodyLimit: SentBody.Limit
    /// Increases whenever a request is recorded or ends.
    let changes = AwaitableCounter()

    init(keeping bodyLimit: SentBody.Limit = .init()) {
        self.bodyLimit = bodyLimit
    }

    var requests: [RecordedRequest] {
        state.withLock { state in
            state.trim(to: state.limit)
            return state.entries
        }
    }

    var limit: Int {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = max(0, newValue) } }
    }

    /// The number of requests that were ever recorded.
    var requestCount: Int { state.withLock { $0.firstID + $0.entries.count } }

    /// Suspends until so many requests were recorded, or until the task is cancelled.
    func waitForRequests(_ count: Int) async {
        while !Task.isCancelled {
            let seen = changes.number
            if requestCount >= count { return }
            await changes.wait(for: seen + 1)
        }
    }

    /// The largest number of requests that were unanswered at the same time.
    var mostInFlight: Int { state.withLock { $0.mostInFlight } }

    /// The unanswered requests, oldest first, including those that the journal no longer keeps.
    var pending: [PendingRequest] {
        state.withLock { $0.inFlight.values.sorted { $0.id < $1.id } }
    }

    /// The unanswered requests that clients still wait for.
    var awaited: [PendingRequest] {
        // Clients are asked outside the lock, because they have locks of their own.
        pending.filter(\.client.isWaiting)
    }

    /// The unanswered requests that a stub answers.
    func pending(of stub: Stub) -> [PendingRequest] {
        pending.filter { $0.request.stub === stub }
    }

    /// The number of unanswered requests.
    var pendingCount: Int { state.withLock { $0.inFlight.count } }

    /// A number that grows with each request, each piece of a body, and each end.
    var eventCount: Int { state.withLock { $0.eventCount } }

    /// Records a request, counts it at its stub, and then resumes the tasks that wait for either.
    ///
    /// - Parameters:
    ///   - request: The request. If it has an `endTime`, it has already ended.
    ///   - client: The client that waits for the answer; nil if none does.
    /// - Returns: The ID of the request.
    func append(
        _ request: RecordedRequest, awaitedBy client: (any Client)?
    ) -> Int {
        let id = state.withLock { state in
            // Trimmed only at a quarter above the limit, so that the entries are seldom moved.
            if state.entries.count - state.limit >= state.limit / 4 { state.trim(to: state.limit) }
            state.entries.append(request)
            state.eventCount += 1
            let id = state.firstID + state.entries.count - 1
            state.mostInFlight = max(state.mostInFlight, state.inFlight.count + 1)
            if let client, request.endTime == nil {
                state.inFlight[id] = PendingRequest(id: id, client: client, request: request)
            }
            return id
        }
        request.stub?.didRecord()
        changes.update { $0 += 1 }
        return id
    }

    func markCancelled(_ id: Int, at time: Duration) {
        close(id) { entry in
            entry.wasCancelled = true
            if entry.endTime == nil { entry.endTime = time }
        }
    }

    /// Records a part of a reply, which the client receives next.
    func record(_ part: Reply.Part, of id: Int, at time: Duration) {
        state.withLock { $0.inFlight[id]?.sentCount += part.isWhole ? 0 : part.byteCount }
        close(id, if: part.isLast) { [bodyLimit] entry in
            entry.record(part, at: time, limit: bodyLimit)
            if part.isLast, entry.endTime == nil { entry.endTime = time }
        }
    }

    /// Keeps what gives the reply to a request.
    func keep(_ player: ReplyPlayer, of id: Int) {
        state.withLock { $0.inFlight[id]?.player = player }
    }

    private func close(_ id: Int, if isLast: Bool = true, _ change: (inout RecordedRequest) -> Void)
    {
        state.withLock { state in
            if isLast { state.inFlight[id] = nil }
            state.change(id, change)
        }
        if isLast { changes.update { $0 += 1 } }
    }
}
