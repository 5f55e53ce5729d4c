import APIKitLite
import Foundation

/// One event in the answer to a request, as a transport receives it.
enum ResponseEvent: Sendable {
    /// The whole answer at once.
    case answer(Answer)
    /// The response. The pieces of its body follow one by one, but some may be missing.
    case head(Answer)
    /// The next piece of the body.
    case piece(Piece)
    /// The end of the body.
    case end
    /// The error of the request.
    case failure(any Error)
    /// The end of the connection after so many bytes of the headers, as a client on a socket sees
    /// it.
    case cutHead(Answer, afterBytes: Int)

    /// Whether no event follows.
    var isLast: Bool {
        switch self {
        case .answer, .end, .failure, .cutHead: true
        case .head, .piece: false
        }
    }
}

/// Collects the events of one request into an answer, for a client that wants it as a whole.
struct ResponseAccumulator {
    private var head: Answer?
    private var pieces: [Data] = []

    /// Adds an event, and returns the result if it is the last one.
    mutating func add(_ event: ResponseEvent) -> Result<Answer, any Error>? {
        switch event {
        case .answer(let answer):
            return .success(answer)
        case .head(let answer):
            head = answer
            return nil
        case .piece(let piece):
            pieces.append(piece.data)
            return nil
        case .end:
            // `.end` always follows a `.head`.
            return head.map { .success(Answer(response: $0.response, chunks: pieces)) }
        case .failure(let error):
            return .failure(error)
        case .cutHead:
            return .failure(URLError(.networkConnectionLost))
        }
    }
}

/// How the answer to one request is given: its events, and when.
struct ResponsePlan: Sendable {
    /// How the answer ends.
    enum Ending: Sendable {
        /// With the end of the body.
        case complete
        /// With nothing: the client waits until it times out or cancels.
        case never
        /// With an error.
        case failure(any Error)
        /// With the end of the connection after so many bytes of the headers.
        case cutHead(afterBytes: Int)
    }

    /// The answer; nil if not even a response is given.
    var answer: Answer?
    /// The pieces of the body that are given; fewer bytes than the answer's if it breaks off.
    var pieces: [Data] = []
    var ending = Ending.complete
    /// The time before the first byte.
    var delay = Duration.zero
    /// The times between the pieces.
    var pace = Pace()
    /// The answer is held until this reaches 1; nil if it is not held.
    var gate: AwaitableCounter?
    /// The body is held after the head until this reaches 1; nil if it is not held.
    var bodyGate: AwaitableCounter?
    /// Sends the body after the head, in place of `pieces`; nil if they are the body.
    var stream: ResponseStream?
    /// Whether a real session gave the answer.
    var isPassedThrough = false

    /// The answer, if all of it is given immediately; otherwise nil.
    var immediateAnswer: Answer? {
        guard case .complete = ending, gate == nil, !takesTime, !hasLaterBody else { return nil }
        return answer
    }

    /// Whether the answer needs a clock.
    var takesTime: Bool { delay > .zero || pace.takesTime }

    /// Whether the answer or its body waits for the release of its stub.
    var isHeld: Bool { [gate, bodyGate].contains { $0?.number == 0 } }

    /// Whether the body comes at moments that are not known when the head is given.
    var hasLaterBody: Bool { bodyGate != nil || stream != nil }

    /// Returns steps with their times, in order.
    ///
    /// - Parameters:
    ///   - steps: `firstSteps` or `bodySteps`.
    ///   - start: When the first step starts.
    ///   - arrival: When the client began to wait for the next byte.
    ///   - idleTimeout: How long the client waits for the next byte.
    ///   - endsWaiting: Whether the timeout also ends a wait for an event that never comes.
    static func moments(
        of steps: [Step], from start: Duration, since arrival: Duration, idleTimeout: Duration,
        endsWaiting: Bool
    ) -> [(at: Duration, event: ResponseEvent)] {
        var moments: [(at: Duration, event: ResponseEvent)] = []
        var (now, deadline) = (start, arrival + idleTimeout)
        for (wait, event) in steps {
            guard let wait, now + wait <= deadline else {
                if wait != nil || endsWaiting {
                    moments.append((deadline, .failure(URLError(.timedOut))))
                }
                break
            }
            now += wait
            deadline = now + idleTimeout
            moments.append((now, event))
        }
        return moments
    }

    /// An event with the wait before it. A nil wait never ends.
    typealias Step = (wait: Duration?, event: ResponseEvent)

    /// The steps up to the end or, if the body comes later, up to the head.
    var firstSteps: [Step] {
        guard let answer else {
            switch ending {
            case .failure(let error): return [(delay, .failure(error))]
            case .complete, .never, .cutHead: return [(nil, .end)]
            }
        }
        if hasLaterBody { return [(delay, .head(answer))] }
        switch ending {
        case .complete where !givesPieces || answer.isRedirect: return [(delay, .answer(answer))]
        case .cutHead(let count): return [(delay, .cutHead(answer, afterBytes: count))]
        case .complete, .never, .failure: return [(delay, .head(answer))] + bodySteps
        }
    }

    /// The steps after the head.
    var bodySteps: [Step] {
        var steps: [Step] = zip(pace.waits(pieces.count), pieces).map { ($0, .piece(Piece($1))) }
        switch ending {
        case .complete: steps.append((.zero, .end))
        case .never, .cutHead: steps.append((nil, .end))
        case .failure(let error): steps.append((.zero, .failure(error)))
        }
        return steps
    }

    /// Whether time passes between the head and the last piece.
    private var givesPieces: Bool {
        pieces.count > 1 && pace.takesTime || !pieces.isEmpty && pace.first > .zero
    }
}

extension Answer {
    /// Whether the client follows a redirect, and reads no body here.
    var isRedirect: Bool {
        (300..<400).contains(response.statusCode)
            && response.value(forHTTPHeaderField: "Location") != nil
    }
}
