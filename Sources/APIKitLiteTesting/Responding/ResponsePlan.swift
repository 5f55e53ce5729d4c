import APIKitLite
import Foundation

/// What a carrier hears about one request.
enum ResponseEvent: Sendable {
    /// All of it at once.
    case answer(Answer)
    /// The response of an answer whose pieces follow one by one. Not all of them may come.
    case head(Answer)
    case piece(Data)
    case end
    case failure(any Error)
    /// The connection ended within the first bytes of the head, as a client on a socket sees it.
    case cutHead(Answer, afterBytes: Int)

    var isLast: Bool {
        switch self {
        case .answer, .end, .failure, .cutHead: true
        case .head, .piece: false
        }
    }
}

/// The answer that the replies to one request add up to, for a client that wants it whole.
struct ResponseAccumulator {
    private var head: Answer?
    private var pieces: [Data] = []

    /// The result, once the last event is there.
    mutating func add(_ event: ResponseEvent) -> Result<Answer, any Error>? {
        switch event {
        case .answer(let answer):
            return .success(answer)
        case .head(let answer):
            head = answer
            return nil
        case .piece(let piece):
            pieces.append(piece)
            return nil
        case .end:
            // A head comes before every end.
            return head.map { .success(Answer(response: $0.response, chunks: pieces)) }
        case .failure(let error):
            return .failure(error)
        case .cutHead:
            return .failure(URLError(.networkConnectionLost))
        }
    }
}

/// How the answer to one request is given: what comes, and when.
struct ResponsePlan: Sendable {
    enum Ending: Sendable {
        case complete
        case never
        case failure(any Error)
        case cutHead(afterBytes: Int)
    }

    /// Nil where there is not even a response.
    var answer: Answer?
    /// The body as it comes; less than the answer's where it breaks off.
    var pieces: [Data] = []
    var ending = Ending.complete
    /// Before the first byte.
    var delay = Duration.zero
    /// Before each piece but the first.
    var interval = Duration.zero
    /// Held back until it is open.
    var gate: AwaitableCounter?
    /// Whether a real session gave the answer.
    var isPassedThrough = false

    /// The answer, if all of it comes at once.
    var immediateAnswer: Answer? {
        guard case .complete = ending, gate == nil, !takesTime else { return nil }
        return answer
    }

    var takesTime: Bool { delay > .zero || interval > .zero }

    /// What comes, each at its moment, in order.
    ///
    /// - Parameters:
    ///   - start: When the answer is let go.
    ///   - arrival: When the request came, and the client began to wait for a first byte.
    ///   - timeout: How long the client waits for a next byte.
    ///   - endsWaiting: Whether that also ends a wait for something that never comes.
    func moments(
        from start: Duration, since arrival: Duration, idleTimeout: Duration, endsWaiting: Bool
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

    /// What comes, each after its wait; nil is for ever.
    private var steps: [(wait: Duration?, event: ResponseEvent)] {
        guard let answer else {
            switch ending {
            case .failure(let error): return [(delay, .failure(error))]
            case .complete, .never, .cutHead: return [(nil, .end)]
            }
        }
        let last: (Duration?, ResponseEvent)
        switch ending {
        case .complete where interval == .zero || pieces.count < 2 || answer.leadsElsewhere:
            return [(delay, .answer(answer))]
        case .complete: last = (.zero, .end)
        case .never: last = (nil, .end)
        case .failure(let error): last = (.zero, .failure(error))
        case .cutHead(let count): return [(delay, .cutHead(answer, afterBytes: count))]
        }
        let body = pieces.enumerated().map { index, piece in
            (Duration?.some(index == 0 ? .zero : interval), ResponseEvent.piece(piece))
        }
        return [(delay, .head(answer))] + body + [last]
    }
}

extension Answer {
    /// Whether a client goes on to another URL, and reads no body here.
    fileprivate var leadsElsewhere: Bool {
        (300..<400).contains(response.statusCode)
            && response.value(forHTTPHeaderField: "Location") != nil
    }
}
