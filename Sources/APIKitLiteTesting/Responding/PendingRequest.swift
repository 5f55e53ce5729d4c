/// A request in the journal that has no complete answer yet.
struct PendingRequest: Sendable {
    /// The ID of the request in the journal.
    let id: Int
    /// The client that sent the request.
    let client: any Client
    let request: RecordedRequest
    /// Gives the reply.
    weak var player: ReplyPlayer?
    /// The number of bytes of the body that were sent in pieces.
    var sentCount = 0

    /// Whether the reader has taken everything that was sent, and waits for more or has left; nil if
    /// nothing shows it.
    var isReaderDone: Bool? {
        switch client.readerState {
        case .waiting(let count): count == sentCount
        case .busy: false
        case .left: true
        case nil: nil
        }
    }

    /// What the answer waits for at this moment.
    var cause: WaitReport.Cause { player?.cause ?? .handler }

    /// The request as one of those that wait, for a report.
    var waiting: WaitReport.Waiting {
        WaitReport.Waiting(
            cause: cause,
            stub: request.stub.map { "the stub for \($0.label)" })
    }
}
