import APIKitLite
import Foundation

/// The requests that a mock received, oldest first, including requests still waiting for a
/// response.
///
/// The journal keeps the last 10,000 requests, and the bodies of the last 1,000. During a
/// recording, the journal keeps all requests and bodies. `bodyLimit` limits the kept part of each
/// response's body.
///
/// `state` has its own lock.
final class Journal: Sendable {
    private struct State {
        /// The kept requests, at most a quarter more than the limit.
        var entries: [RecordedRequest] = []
        /// The ID of the first entry. IDs are consecutive.
        var firstID = 0
        /// The number of requests that each stub matched, indexed by the stub's number.
        var counts: [Int] = []
        /// The requests that have not ended, keyed by ID, including requests no longer in
        /// `entries`.
        var inFlight: [Int: PendingRequest] = [:]
        var eventCount = 0
        /// The number of requests ever recorded.
        var requestCount: Int { firstID + entries.count }
        /// A number that grows whenever a request is recorded or ends.
        var changeCount: Int { 2 * requestCount - inFlight.count }

        mutating func trim(to limit: Int) {
            let excess = entries.count - limit
            guard excess > 0 else { return }
            entries.removeFirst(excess)
            firstID += excess
        }
    }

    private let state = Monitor(State())
    private let bodyLimit: SentBody.Limit
    private let limit: Int
    private let bodyCount: Int

    init(keeping bodyLimit: SentBody.Limit = .init()) {
        self.bodyLimit = bodyLimit
        let isRecording = bodyLimit.pieces == .max
        (limit, bodyCount) = isRecording ? (.max, .max) : (10_000, 1_000)
    }

    var requests: [RecordedRequest] {
        state.withLock { state in
            state.trim(to: limit)
            return state.entries
        }
    }

    /// The number of requests ever recorded.
    var requestCount: Int { state.withLock { $0.requestCount } }

    /// The requests that have not ended, oldest first, including requests that the journal no
    /// longer keeps.
    var pending: [PendingRequest] {
        state.withLock { $0.inFlight.values.sorted { $0.id < $1.id } }
    }

    func pending(ofStub number: Int) -> [PendingRequest] {
        pending.filter { $0.request.stub == number }
    }

    /// Returns the number of a new stub.
    func addStub() -> Int {
        state.withLock { state in
            state.counts.append(0)
            state.eventCount += 1
            return state.counts.count - 1
        }
    }

    /// Returns the number of requests that a stub matched.
    func count(ofStub number: Int) -> Int { state.withLock { $0.counts[number] } }

    /// Suspends until a stub has matched `count` requests, or until the task is cancelled.
    func waitForRequests(_ count: Int, ofStub number: Int) async {
        await state.wait { $0.counts[number] >= count }
    }

    /// A number that grows whenever a request is recorded or ends.
    var changeCount: Int { state.withLock { $0.changeCount } }

    /// Suspends until `changeCount` is greater than `count`, or until the task is cancelled.
    func waitForChange(after count: Int) async {
        await state.wait { $0.changeCount > count }
    }

    /// A number that grows whenever a stub, a request, a part of a response or a cancellation is
    /// recorded.
    var eventCount: Int { state.withLock { $0.eventCount } }

    /// Records a request, which may already have ended, and resumes the tasks waiting for the
    /// request. Returns the request's ID. `delivery` delivers the response, and is nil for an
    /// immediate response, with which the request has ended.
    func append(_ request: RecordedRequest, _ delivery: Delivery? = nil) -> Int {
        // A delivery has its own lock.
        let client = delivery?.client
        return state.update { state in
            // Trimming begins a quarter over the limit, so that the entries rarely move.
            if state.entries.count - limit >= limit / 4 { state.trim(to: limit) }
            state.entries.append(request)
            let old = state.entries.count - bodyCount - 1
            if old >= 0 { state.entries[old].forgetBodies() }
            if let stub = request.stub { state.counts[stub] += 1 }
            state.eventCount += 1
            let id = state.requestCount - 1
            if let client {
                state.inFlight[id] = PendingRequest(
                    id: id, client: client, request: request, delivery: delivery)
            }
            return id
        }
    }

    func markCancelled(_ id: Int, at time: Duration) {
        change(id, isEnd: true) { entry in
            entry.wasCancelled = true
            if entry.endTime == nil { entry.endTime = time }
        }
    }

    /// Records the next part of the response that the client receives.
    func record(_ part: ResponsePart, of id: Int, at time: Duration) {
        change(id, isEnd: part.isLast, sentCount: part.body.byteCount) { [bodyLimit] entry in
            entry.record(part, at: time, limit: bodyLimit)
        }
    }

    private func change(
        _ id: Int, isEnd: Bool, sentCount: Int = 0, _ change: (inout RecordedRequest) -> Void
    ) {
        state.update { state in
            if isEnd {
                state.inFlight[id] = nil
            } else {
                state.inFlight[id]?.sentCount += sentCount
            }
            state.eventCount += 1
            let index = id - state.firstID
            guard state.entries.indices.contains(index) else { return }
            change(&state.entries[index])
            if index < state.entries.count - bodyCount { state.entries[index].forgetBodies() }
        }
    }
}

/// A recorded request that has not ended.
struct PendingRequest: Sendable {
    let id: Int
    let client: any Client
    let request: RecordedRequest
    weak var delivery: Delivery?
    /// The number of body bytes sent so far, if the body is sent in pieces.
    var sentCount = 0

    /// Whether the reader has taken everything that was sent and is waiting for more, or has left;
    /// nil if unknown.
    var isReaderDone: Bool? {
        switch client.readerState {
        case .waiting(let count): count == sentCount
        case .busy: false
        case .left: true
        case nil: nil
        }
    }

    /// What the response is waiting for now.
    var reason: WaitReason { delivery?.reason ?? .nothing }
}

extension RecordedRequest {
    fileprivate mutating func forgetBodies() {
        // Without this check, Foundation would copy even a request that has no body.
        if request.httpBody?.isEmpty == false { (request.httpBody, hasLostBody) = (nil, true) }
        sentBody.forgetPieces()
    }

    /// Records what the client receives. `limit` limits the kept part of the body.
    mutating func record(
        _ part: ResponsePart, at time: Duration, limit: SentBody.Limit = .init()
    ) {
        if let head = part.head {
            response = head.response
            wasPassedThrough = head.isPassedThrough
        }
        for piece in part.pieces { sentBody.add(piece.data, at: time, limit: limit) }
        error = part.error ?? error
        if part.isLast, endTime == nil { endTime = time }
    }
}
