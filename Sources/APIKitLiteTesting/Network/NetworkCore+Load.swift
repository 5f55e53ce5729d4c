import APIKitLite
import Foundation

// The steps from a decision to an answer.
extension NetworkCore {
    func load(
        _ request: URLRequest, for client: any Client,
        respond: @escaping @Sendable (Reply.Part) -> Void
    ) -> CancellationHandle {
        let (record, reply) = decide(on: request)
        return give(reply, to: record, for: client, respond: respond)
    }

    /// Records a request and starts to give its reply.
    ///
    /// - Parameters:
    ///   - reply: The reply.
    ///   - record: The request.
    ///   - client: The client that waits for the answer.
    ///   - respond: Receives the parts of the reply.
    func give(
        _ reply: Reply, to record: RecordedRequest, for client: any Client,
        respond: @escaping @Sendable (Reply.Part) -> Void
    ) -> CancellationHandle {
        // Made before the request is counted: a test that has waited for the request may send.
        let stream = record.stub.flatMap { reply.stream(of: $0) }
        // The journal checks whether the request has ended. That check, made here, crashes the
        // optimizer of Swift 6.3.1.
        let id = journal.append(record, awaitedBy: client)
        let recordCancellation = { @Sendable [self] in journal.markCancelled(id, at: time.now) }
        if reply.isImmediate {
            respond(Reply.Part(reply))
            return CancellationHandle(recordCancellation: recordCancellation)
        }
        let player = ReplyPlayer(
            reply, of: record.stub, with: stream, in: time, since: record.startTime, on: handlers,
            for: .init(idleTimeout: { client.idleTimeout(for: record.request) }) { [self] part in
                journal.record(part, of: id, at: time.now)
                respond(part)
            })
        journal.keep(player, of: id)
        player.start()
        watch.begin()
        return CancellationHandle(
            recordCancellation: recordCancellation, cancelWork: { player.cancel() })
    }
}
