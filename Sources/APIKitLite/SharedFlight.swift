import Foundation

/// Work that several tasks wait for: it runs once, and ends the same for all of them.
///
/// The work has a task of its own, so it outlives the one that started it. Each passenger may be
/// cancelled, and then leaves at once, alone.
final class SharedFlight<Value: Sendable>: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var result: Result<Value, any Error>?
        var isCalledOff = false
        var lastSeat = 0
        /// Those who have a seat. The continuation is there as soon as they wait.
        var passengers: [Int: CheckedContinuation<Value, any Error>?] = [:]

        var isOver: Bool { result != nil || isCalledOff }
    }

    private let state = Locked(State())
    private let endsWithLastPassenger: Bool

    private init(endsWithLastPassenger: Bool) {
        self.endsWithLastPassenger = endsWithLastPassenger
    }

    /// Starts the work, with the priority and the task-locals of this place, and boards.
    ///
    /// - Parameter endsWithLastPassenger: Whether the work is cancelled as soon as everybody who
    ///   wanted it has left.
    static func start(
        endsWithLastPassenger: Bool, work: @escaping @Sendable () async throws -> Value
    ) -> Seat {
        let flight = SharedFlight(endsWithLastPassenger: endsWithLastPassenger)
        let seat = flight.state.withLock { flight.seat(&$0) }
        // Not under the lock: it starts at once, and would wait for the lock when it ends.
        let task = Task {
            do {
                flight.land(.success(try await work()))
            } catch {
                flight.land(.failure(error))
            }
        }
        let isCalledOff = flight.state.withLock { state in
            if !state.isOver { state.task = task }
            return state.isCalledOff
        }
        if isCalledOff { task.cancel() }
        return seat
    }

    /// A seat, or nil where the work has ended or was called off.
    func board() -> Seat? {
        state.withLock { state in
            state.isOver ? nil : seat(&state)
        }
    }

    /// Whether nobody can board any more.
    var isOver: Bool { state.withLock { $0.isOver } }

    private func seat(_ state: inout State) -> Seat {
        state.lastSeat += 1
        state.passengers[state.lastSeat] = .some(nil)
        return Seat(flight: self, number: state.lastSeat)
    }

    /// One passenger's right to the result. Whoever boards must wait, or the flight is never empty.
    struct Seat: Sendable {
        let flight: SharedFlight
        fileprivate let number: Int

        /// What the work ends with.
        ///
        /// - Throws: What the work throws; `URLError.cancelled` at once when this task is cancelled.
        func value() async throws -> Value {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { flight.wait(number, $0) }
            } onCancel: {
                flight.leave(number)
            }
        }
    }

    // Whoever takes a continuation out of `passengers` resumes it, and the one that finds its seat
    // gone or the work ended is resumed here: so once.
    private func wait(_ number: Int, _ continuation: CheckedContinuation<Value, any Error>) {
        let result = state.withLock { state -> Result<Value, any Error>? in
            guard state.passengers[number] != nil else { return .failure(URLError(.cancelled)) }
            if state.result == nil { state.passengers[number] = continuation }
            return state.result
        }
        if let result { continuation.resume(with: result) }
    }

    private func leave(_ number: Int) {
        let (continuation, task) = state.withLock { state in
            let continuation = state.passengers.removeValue(forKey: number) ?? nil
            guard endsWithLastPassenger, state.passengers.isEmpty, state.result == nil else {
                return (continuation, Task<Void, Never>?.none)
            }
            state.isCalledOff = true
            return (continuation, state.task)
        }
        // Not under the lock: cancelling runs whatever the work does about it.
        task?.cancel()
        continuation?.resume(throwing: URLError(.cancelled))
    }

    private func land(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            state.result = result
            state.task = nil
            let waiting = state.passengers.values.compactMap { $0 }
            // Who boarded and does not wait yet keeps the seat, and finds the result.
            state.passengers = state.passengers.filter { $0.value == nil }
            return waiting
        }
        for continuation in waiting { continuation.resume(with: result) }
    }
}
