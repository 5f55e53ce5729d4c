import APIKitLite
import Foundation

extension NetworkCore {
    /// The whole exchange in the caller's task, for clients without a URLSession.
    func exchange(_ first: URLRequest) async throws -> Answer {
        let jar = CookieJar(self)
        // Most networks never see a cookie, and looking for one costs a microsecond.
        var request = try RequestBody.fill(hasCookieStorage ? jar.applied(to: first) : first, nil)
        for _ in 0...redirectLimit {
            let answer = try await answer(to: request)
            jar.store(from: answer.response, to: request)
            guard let next = redirectedRequest(after: answer.response, from: request) else {
                return answer
            }
            request = jar.applied(to: next)
        }
        throw URLError(.httpTooManyRedirects)
    }

    private func answer(to request: URLRequest) async throws -> Answer {
        let (record, next) = decide(on: request)
        if case .now(let result) = next {
            _ = journal.append(record, awaitedBy: nil)
            try Task.checkNotCancelled()
            return try result.get()
        }
        let client = TaskClient()
        return try await withTaskCancellationHandler {
            // Not before: whoever cancels may verify right after it.
            let id = journal.append(record, awaitedBy: client)
            client.enter(as: id)
            do {
                let answer = try await play(next, id) { client.patience(for: request) }
                try Task.checkNotCancelled()
                return answer
            } catch {
                guard Task.isCancelled else {
                    journal.markEnded(id, at: time.now)
                    throw error
                }
                // A cancellation that is seen here may come too late for the handler below.
                journal.markCancelled(id, at: time.now)
                throw URLError(.cancelled)
            }
        } onCancel: {
            if let id = client.leave() { journal.markCancelled(id, at: time.now) }
        }
    }

    private func play(
        _ next: Next, _ id: Int, patience: @escaping @Sendable () -> Duration
    ) async throws -> Answer {
        let arrival = time.now
        let script: Script
        switch next {
        case .now(let result): return try result.get()
        case .play(let given): script = given
        case .later(let work) where time.isChosen:
            script = try await before(arrival + patience(), work)
        case .later(let work): script = try await work()
        }
        if script.isPassedThrough { journal.markPassedThrough(id) }
        if let answer = script.immediateAnswer {
            journal.markEnded(id, at: time.now)
            return answer
        }
        let result = Collector()
        let playback = Playback(
            in: time, since: arrival,
            for: .init(patience: patience) { [self] reply in
                // Now: the caller may hear of it when the clock has gone on.
                if reply.isLast { journal.markEnded(id, at: time.now) }
                result.hear(reply)
            })
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                result.tell(continuation)
                playback.start(script)
                if Task.isCancelled { result.hear(.failure(URLError(.cancelled))) }
            }
        } onCancel: {
            playback.cancel()
            result.hear(.failure(URLError(.cancelled)))
        }
    }

    /// Runs a handler in a child of the caller's task, and cancels it when the client's patience
    /// ends.
    private func before(
        _ deadline: Duration, _ work: @escaping @Sendable () async throws -> Script
    ) async throws -> Script {
        try await withThrowingTaskGroup(of: Script.self) { group in
            group.addTask(operation: work)
            group.addTask { [time] in
                await time.guardUntil(deadline)
                throw URLError(.timedOut)
            }
            defer { group.cancelAll() }
            // There are two, so there is a first.
            return try await group.next()!
        }
    }
}

/// Gives one continuation the answer that a playback comes to, or a cancellation: once.
private final class Collector: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Answer, any Error>?
        var assembly = Assembly()
    }

    private let state = Locked(State())

    func tell(_ continuation: CheckedContinuation<Answer, any Error>) {
        state.withLock { $0.continuation = continuation }
    }

    func hear(_ reply: Reply) {
        // Whoever takes the continuation out resumes it.
        let ending = state.withLock { state in
            let result = state.assembly.add(reply)
            let continuation = result == nil ? nil : state.continuation
            if result != nil { state.continuation = nil }
            return result.flatMap { result in continuation.map { ($0, result) } }
        }
        if let (continuation, result) = ending { continuation.resume(with: result) }
    }
}
