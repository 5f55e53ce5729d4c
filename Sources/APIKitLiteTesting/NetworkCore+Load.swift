import APIKitLite
import Foundation

// From a decision to an answer.
extension NetworkCore {
    func load(
        _ request: URLRequest, for client: any Client, passage: Passage,
        reply: @escaping @Sendable (Reply) -> Void
    ) -> Ticket {
        let decision = decide(on: request, passage: passage)
        return carryOut(decision, for: client, running: handlers.start, reply: reply)
    }

    /// Records a request and answers it.
    ///
    /// - Parameter run: Starts a handler, and returns what cancels it.
    func carryOut(
        _ decision: Decision, for client: any Client,
        running run: (@escaping @Sendable () async -> Void) -> Cancellation,
        reply: @escaping @Sendable (Reply) -> Void
    ) -> Ticket {
        // The journal looks whether it has ended: here, that would end the optimizer of Swift 6.3.1.
        let id = journal.append(decision.record, awaitedBy: client)
        let note = { @Sendable [self] in journal.markCancelled(id, at: time.now) }
        switch decision.next {
        case .now(.success(let answer)):
            reply(.answer(answer))
            return Ticket(note: note)
        case .now(.failure(let error)):
            reply(.failure(error))
            return Ticket(note: note)
        case .play(let script):
            let playback = playback(of: decision.record, id, for: client, reply)
            playback.start(script)
            return Ticket(note: note, cancelWork: { playback.cancel() })
        case .later(let work):
            let playback = playback(of: decision.record, id, for: client, reply)
            let handler = run { [self] in
                do {
                    let script = try await work()
                    if script.isPassedThrough { journal.markPassedThrough(id) }
                    playback.start(script)
                } catch {
                    playback.fail(error)
                }
            }
            playback.watchHandler(onTimeout: handler.cancel)
            return Ticket(
                note: note,
                cancelWork: {
                    playback.cancel()
                    handler.cancel()
                })
        }
    }

    private func playback(
        of record: RecordedRequest, _ id: Int, for client: any Client,
        _ reply: @escaping @Sendable (Reply) -> Void
    ) -> Playback {
        Playback(
            in: time, since: record.startTime,
            for: .init(patience: { client.patience(for: record.request) }) { [self] step in
                if step.isLast { journal.markEnded(id, at: time.now) }
                reply(step)
            })
    }
}
