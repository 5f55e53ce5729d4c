import APIKitLite
import Foundation

/// Records requests and sends their replies, using one network's clock.
struct ReplySender: Sendable {
    let journal: Journal
    let time: NetworkTime
    /// Reports tasks and responses that are waiting for the test.
    let watch: HangReporter
    private let handlers = Handlers()

    init(journal: Journal, time: NetworkTime, watch: HangReporter) {
        (self.journal, self.time, self.watch) = (journal, time, watch)
    }

    /// Records a request and starts to send its reply.
    func give(
        _ reply: Reply, to record: RecordedRequest, for client: any Client,
        respond: @escaping @Sendable (AnswerPart) -> Void
    ) -> RequestCancellation {
        // Created while the request is recorded, because a test that has waited for the request may
        // ask what its answer is waiting for.
        var delivery: Delivery?
        let id = journal.append(record, awaitedBy: client) { [journal] id in
            guard case .later(let cause, let queue, _) = reply else { return nil }
            delivery = Delivery(to: record, for: client, in: time, cause, queue: queue) {
                journal.record($0, of: id, at: $1)
                respond($0)
            }
            return delivery
        }
        let recordCancellation = { @Sendable [journal, time, delivery] in
            // First, so that a `send` by a test that has just waited for the request to end throws.
            delivery?.closeQueue()
            journal.markCancelled(id, at: time.now)
        }
        switch reply {
        case .answer(let answer): respond(answer.part)
        case .failure(let error): respond(.failure(error))
        case .later(_, _, let function):
            delivery?.start(function, on: handlers)
            watch.begin()
        }
        return RequestCancellation(
            recordCancellation: recordCancellation, cancelWork: delivery?.cancel)
    }
}
