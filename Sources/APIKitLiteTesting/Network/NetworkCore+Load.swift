import APIKitLite
import Foundation

// The steps from a decision to an answer.
extension NetworkCore {
    func load(
        _ request: URLRequest, for client: any Client,
        respond: @escaping @Sendable (ResponseEvent) -> Void
    ) -> CancellationHandle {
        carryOut(decide(on: request), for: client, respond: respond)
    }

    /// Records a request and starts its answer.
    ///
    /// - Parameters:
    ///   - decision: How the request is answered.
    ///   - client: The client that waits for the answer.
    ///   - respond: Receives the events of the answer.
    func carryOut(
        _ decision: Decision, for client: any Client,
        respond: @escaping @Sendable (ResponseEvent) -> Void
    ) -> CancellationHandle {
        // The journal checks whether the request has ended. That check, made here, crashes the
        // optimizer of Swift 6.3.1.
        let id = journal.append(
            decision.record, awaitedBy: client, stage: decision.resolution.stage)
        let recordCancellation = { @Sendable [self] in journal.markCancelled(id, at: time.now) }
        switch decision.resolution {
        case .now(.success(let answer)):
            respond(.answer(answer))
            return CancellationHandle(recordCancellation: recordCancellation)
        case .now(.failure(let error)):
            respond(.failure(error))
            return CancellationHandle(recordCancellation: recordCancellation)
        case .send(let plan):
            let sender = sender(of: decision.record, id, for: client, respond)
            sender.start(plan, isKnownAtArrival: true)
            plan.stream?.start(on: handlers)
            watch.begin()
            return CancellationHandle(
                recordCancellation: recordCancellation, cancelWork: { sender.cancel() })
        case .later(_, let work):
            let sender = sender(of: decision.record, id, for: client, respond)
            let handler = handlers.start { [self] in
                do {
                    let plan = try await work()
                    if plan.isPassedThrough { journal.markPassedThrough(id) }
                    if plan.immediateAnswer == nil { journal.markPlanned(id, plan) }
                    sender.start(plan)
                    plan.stream?.start(on: handlers)
                } catch {
                    sender.fail(error)
                }
            }
            sender.watchHandler(onTimeout: handler.cancel)
            watch.begin()
            return CancellationHandle(
                recordCancellation: recordCancellation,
                cancelWork: {
                    sender.cancel()
                    handler.cancel()
                })
        }
    }

    /// Makes the sender of a request's answer, which also records the end of the request.
    private func sender(
        of record: RecordedRequest, _ id: Int, for client: any Client,
        _ respond: @escaping @Sendable (ResponseEvent) -> Void
    ) -> ResponseSender {
        ResponseSender(
            in: time, since: record.startTime,
            for: .init(idleTimeout: { client.idleTimeout(for: record.request) }) { [self] step in
                journal.record(step, of: id, at: time.now)
                respond(step)
            })
    }
}

extension NetworkCore.Resolution {
    /// How far the answer is at first.
    fileprivate var stage: PendingRequest.Stage {
        switch self {
        case .now: .handler  // Not used: the request has ended.
        case .send(let plan): .plan(plan)
        case .later(let stage, _): stage
        }
    }
}
