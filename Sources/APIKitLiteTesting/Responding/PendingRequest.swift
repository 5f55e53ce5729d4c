/// A request in the journal that has no complete answer yet.
struct PendingRequest: Sendable {
    /// How far the answer is.
    enum Stage: Sendable {
        /// A handler, or the closure of the network, makes it.
        case handler
        /// A real session makes it.
        case session
        /// It is given as planned.
        case plan(ResponsePlan)
    }

    /// The ID of the request in the journal.
    let id: Int
    /// The client that sent the request.
    let client: any Client
    let request: RecordedRequest
    var stage: Stage
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
    var cause: WaitReport.Cause {
        switch stage {
        case .handler: return .handler
        case .session: return .session
        case .plan(let plan):
            if plan.isHeld { return .release }
            if plan.isPassedThrough { return .session }
            if let stream = plan.stream { return stream.hasWriter ? .writer : .test }
            if case .never = plan.ending { return .nothing }
            return .clock
        }
    }

    /// The request as one of those that wait, for a report.
    var waiting: WaitReport.Waiting {
        WaitReport.Waiting(
            cause: cause,
            stub: request.stub.map { "the stub for \($0.label)" })
    }
}
