import APIKitLite
import Foundation

/// Delivers a response that must wait for something. All times are those of the network's clock.
///
/// One task runs the reply's function. The parts that the function delivers become due, and the
/// client receives them together when the function waits or ends. If the client waits too long for
/// the next byte, the response fails with `URLError.timedOut`.
///
/// The task works in *steps*, and a ``MockClock`` may move only between steps. The first step
/// begins when the delivery is created. A later step begins when a wait ends, for example because
/// the clock reaches a set time, the stub is released or the test sends a piece. A step ends at the
/// next wait or with the task. So while the test moves the clock, the client receives the due parts
/// in order, however busy the machine is. The user's code runs outside a step, because that code
/// may wait for the clock.
final class Delivery: Sendable {
    /// Receives the parts of the response with their times, in order, on any thread. The receiver
    /// is never called after the last part.
    typealias Receiver = @Sendable (ResponsePart, Duration) -> Void

    /// What the delivery keeps alive until the response ends.
    private struct State: Sendable {
        let receiver: Receiver
        /// The client, which may hold the handle that cancels the delivery.
        let client: any Client
        var reason: WaitReason
        /// The stream of the body, if the test sends the body.
        var stream: OpenStream?
        /// The part that the client receives next.
        var due = ResponsePart()
        /// The receipts of pieces that the client may not have received yet.
        var receipts: [Receipt] = []
        /// When the client began to wait for the next byte.
        var waitStart: Duration
        /// Cancels the pending timeout, which fails the response if the wait takes too long.
        var cancelTimeout: (@Sendable () -> Void)?

        /// Removes and returns the due part.
        mutating func takeDue(at now: Duration) -> ResponsePart {
            if due.isEmpty { return due }
            waitStart = now
            receipts.removeAll(where: \.hasEnded)
            receipts += due.receipts
            defer { due = ResponsePart() }
            return due
        }
    }

    private let time: NetworkTime
    /// The client's timeout for the next byte; unused without a clock.
    private let idleTimeout: Duration
    private let task = TaskSlot()
    private let state: Locked<State?>

    /// Creates a delivery that has not started. A ``MockClock`` does not move until the delivery
    /// waits or ends.
    ///
    /// - Parameters:
    ///   - reason: What the reply waits for first.
    ///   - stream: The stream of the body, if the test sends the body.
    init(
        to record: RecordedRequest, for client: any Client, in time: NetworkTime,
        _ reason: WaitReason, _ stream: OpenStream?, _ receiver: @escaping Receiver
    ) {
        self.time = time
        // Without a clock, the timeout is not computed, because for a `URLSession` on Linux, the
        // computation takes longer than the rest of a request.
        idleTimeout = time.hasClock ? client.idleTimeout(for: record.request) : .zero
        state = Locked(
            State(
                receiver: receiver, client: client, reason: reason, stream: stream,
                waitStart: record.startTime))
        time.beginStep()
        time.record { $0.clientWaits() }
    }

    /// Starts to deliver the response.
    func start(_ function: @escaping Reply.Function, on handlers: Handlers) {
        handlers.start(in: task) { [self] in
            defer { time.endStep() }
            end(with: await Result { try await function(self) })
        }
    }

    /// What the response is waiting for.
    var reason: WaitReason { state.withLock { $0?.reason } ?? .nothing }

    /// The client; nil if the response has ended.
    var client: (any Client)? { state.withLock { $0?.client } }

    /// Closes the stream that the test sends, because the client has left. The caller calls
    /// `cancel()` later, because `cancel()` may run the user's code.
    func closeStream() {
        state.withLock { $0?.stream.take() }?.close()
    }

    // MARK: What a reply does

    /// Delivers a part, which the client receives at the next wait or at the end.
    func give(_ part: ResponsePart) {
        // If the response has ended, the result is nil.
        if state.withLock({ $0?.due.append(part) }) != nil { return }
        for receipt in part.receipts { receipt.didLeave() }
    }

    func give(_ piece: Data, _ receipt: Receipt? = nil) {
        give(ResponsePart(pieces: [ResponsePart.Piece(data: piece, receipt: receipt)]))
    }

    /// Delivers the response of another reply.
    func give(_ reply: Reply) async throws {
        switch reply {
        case .now(var part):
            let end = part.end.take()
            give(part)
            try end?.get()
        case .later(_, let stream, let function):
            if let stream, state.withLock({ $0?.stream = stream }) == nil {
                stream.close()
                throw CancellationError()
            }
            try await function(self)
        }
    }

    /// Waits until the stub's `release()` sets the monitor to true.
    func waitForRelease(_ isReleased: Monitor<Bool>) async throws {
        // `waitForSleepers` counts the timeout, because perhaps nothing else ends the wait.
        try await wait(for: .release, .callback) { isReleased.when({ $0 }, $0) }
    }

    /// Waits for a duration on the clock, or until the client's timeout. Without a clock, returns
    /// immediately.
    func wait(for duration: Duration) async throws {
        guard duration > .zero, time.hasClock else { return }
        let moment = time.now + duration
        let timeout = waitStart + idleTimeout
        try await wait(for: .clock) {
            time.schedule(at: min(moment, timeout), .callback, $0)
        }
        if timeout < moment { throw URLError(.timedOut) }
    }

    /// Waits until the response is cancelled or times out.
    func waitForNothing() async throws {
        try await wait(for: .nothing, .callback) { _ in nil }
    }

    /// Runs the user's code, or waits for a real session. The clock may move during this time,
    /// because the user's code may wait for the clock.
    func run<R>(_ reason: WaitReason, _ work: () async throws -> R) async throws -> R {
        willWait(for: reason, .deadline)
        let task = currentTask
        time.record { sleepers in task.map { sleepers.taskRuns($0) } }
        time.endStep()
        defer {
            time.beginStep()
            time.record { $0.clientWaits(task) }
        }
        return try await work()
    }

    /// Delivers what the test sends.
    func giveMessages(of stream: OpenStream) async throws {
        while true {
            try await wait(for: .test, .deadline) { stream.whenPosted($0) }
            switch stream.takeNext() {
            case .piece(let data, let sent)? where data.isEmpty: sent.resolve(with: .success(()))
            case .piece(let data, let sent)?:
                let receipt = Receipt()
                give(data, receipt)
                try? await wait(for: .reader, .deadline) { receipt.whenEnded($0) }
                // The test's call of `send` resumes within a step, so that the test's next message
                // arrives before the clock moves.
                sent.resolve(
                    with: receipt.isTaken ? .success(()) : .failure(Receipt.clientGone))
            case .failure(let error)?: throw error
            case .end?: return
            // The client has left, so the response must not end as complete, but as cancelled.
            case nil: try await wait(for: .nothing) { _ in nil }
            }
        }
    }

    // MARK: What a stream's writer does, outside a step

    var writer: StreamWriter { StreamWriter(onSend: send) }

    /// Sends a piece, and suspends until the client has received it.
    ///
    /// - Throws: ``Receipt/clientGone`` if the client leaves before it receives the piece.
    ///   `CancellationError` if the task is cancelled first.
    func send(_ data: Data) async throws {
        try checkWriter()
        if data.isEmpty { return }
        let (reason, receipt) = (reason, Receipt())
        give(data, receipt)
        willWait(for: .reader, .deadline)
        // Without a yield, an endless writer would keep other tasks from running.
        if receipt.hasEnded { await Task.yield() }
        await receipt.wait()
        // If the piece was not taken, the client has left or the task is cancelled.
        if !receipt.isTaken { try checkWriter() }
        state.withLock { $0?.reason = reason }
    }

    /// Throws an error if the client has left or the task is cancelled. The client is checked
    /// first, because when it leaves, the task is cancelled too.
    private func checkWriter() throws {
        if state.withLock({ $0 == nil }) { throw Receipt.clientGone }
        try Task.checkCancellation()
    }

    // MARK: Waits

    /// Ends the step, and suspends until the callback passed to `begin` starts the next step.
    /// `limit` is the kind of sleeper for the client's timeout, or nil to set no timeout.
    private func wait(
        for reason: WaitReason, _ limit: Sleeper.Kind? = nil,
        _ begin: (@escaping @Sendable () -> Void) -> (@Sendable () -> Void)?
    ) async throws {
        let promise = Promise<Void>()
        let cancelWait = begin { [time] in
            time.beginStep()
            if !promise.resolve(with: .success(())) { time.endStep() }
        }
        willWait(for: reason, limit)
        time.endStep()
        do {
            try await promise.value(ifCancelled: .failure(CancellationError())) { cancelWait?() }
        } catch {
            time.beginStep()
            throw error
        }
    }

    /// Records the reason for the wait and sets the timeout, and only then sends the due part,
    /// because a test may ask for the reason or the timeout as soon as the client has the part.
    private func willWait(for reason: WaitReason, _ limit: Sleeper.Kind?) {
        let now = time.now
        let (receiver, due, cancelLast) = state.withLock { state in
            state?.reason = reason
            return (state?.receiver, state?.takeDue(at: now), state?.cancelTimeout.take())
        }
        cancelLast?()
        if let limit, time.hasClock {
            let cancel = time.schedule(at: waitStart + idleTimeout, limit) { [self] in
                end(with: .failure(URLError(.timedOut)))
            }
            if state.withLock({ $0?.cancelTimeout = cancel }) == nil { cancel?() }
        }
        guard let due, !due.isEmpty else { return }
        time.record { $0.clientReads() }
        receiver?(due, now)
    }

    /// When the client began to wait for the next byte; the current time if a part is due.
    private var waitStart: Duration {
        let now = time.now
        return state.withLock { $0.map { $0.due.isEmpty ? $0.waitStart : now } } ?? now
    }

    // MARK: The end

    private func end(with result: Result<Void, any Error>) {
        guard let (receiver, due) = cancel() else { return }
        time.record { $0.clientContinues() }
        var last = due
        last.end = result
        receiver(last, time.now)
    }

    /// Ends the response without sending another part, and returns the receiver and the due part.
    /// Only the first call returns them, so the last part is sent only once.
    @discardableResult
    func cancel() -> (Receiver, ResponsePart)? {
        guard let last = state.withLock({ $0.take() }) else { return nil }
        last.cancelTimeout?()
        // The task is cancelled first, so that it is already cancelled when a pending call of
        // `send` throws.
        task.cancel()
        last.stream?.close()
        for receipt in last.receipts + last.due.receipts { receipt.didLeave() }
        return (last.receiver, last.due)
    }
}
