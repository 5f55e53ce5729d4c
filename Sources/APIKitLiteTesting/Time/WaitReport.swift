import APIKitLite

/// The text that says why something waits: what waits and where, and what may keep it from ending.
///
/// Its parts are values, so that the text depends on nothing else. All texts in them are redacted.
struct WaitReport: Sendable, Equatable {
    /// What waits.
    enum Subject: Sendable, Equatable {
        /// A call of the test, such as `stub.started(3)`.
        case call(String, sourceLocation: String, progress: String, Occasion)
        /// A request whose client waits. No call of the test waits for it.
        case request(String)
        /// A request whose client waits for the end of a stream.
        case stream(String)
        /// A task that sleeps on the clock. No call of the test waits on it.
        case sleep
    }

    /// Why a call reports.
    enum Occasion: Sendable, Equatable {
        /// It has waited for ``WaitReporter/patience``.
        case lasted
        /// Its task was cancelled.
        case cancelled
        /// It ends early, because nothing is left that could end it.
        case stuck
    }

    /// What waits on a clock that only a test moves.
    struct Clock: Sendable, Equatable {
        /// The time since the creation of the clock.
        var now: Duration
        /// The sleepers, in the order in which they wake.
        var sleepers: [Sleeper] = []
        /// The moments of the pending deadlines, earliest first.
        var deadlines: [Duration] = []

        /// A task or a response that waits for a moment.
        struct Sleeper: Sendable, Equatable {
            var isTask: Bool
            var moment: Duration
        }
    }

    /// The requests of one network.
    struct Network: Sendable, Equatable {
        /// The number of requests that the network received.
        var requestCount = 0
        /// The error texts of the first requests that were not answered.
        var errors: [String] = []
        /// The number of requests that were not answered.
        var errorCount = 0
        /// The requests that still wait for their answers, oldest first.
        var waiting: [Waiting] = []
    }

    /// One request that waits for its answer.
    struct Waiting: Sendable, Hashable {
        /// What the answer waits for.
        var cause: Cause
        /// The stub, such as `the stub for GET /a (File.swift:3)`; nil if the closure of the
        /// network answers.
        var stub: String?
    }

    /// What the answer to a request waits for.
    enum Cause: Sendable, Hashable {
        /// The release of a held response.
        case release
        /// The return of a handler or of the network's closure.
        case handler
        /// The session to which the request is passed.
        case session
        /// The clock.
        case clock
        /// The return of the closure that writes a stream.
        case writer
        /// The test, which sends a stream.
        case test
        /// Nothing: the answer has no end.
        case nothing
    }

    /// The number of error texts that a report shows.
    static let shownErrors = 2
    /// The number of stubs, of sleepers and of deadlines that a report shows.
    private static let shownCount = 5

    var subject: Subject
    /// The clock on which something may wait; nil if time passes by itself.
    var clock: Clock?
    /// The networks on which the wait depends.
    var networks: [Network] = []
}

extension WaitReport: CustomStringConvertible {
    /// The first line says what waits; each further line is indented.
    var description: String {
        let clockLines = clock?.lines(ofNetwork: !networks.isEmpty) ?? []
        let details = requestLines + networks.flatMap(\.lines) + clockLines
        return ([headline] + details.map { "  " + $0 }).joined(separator: "\n")
    }

    private var headline: String {
        switch subject {
        case .request(let line):
            return "\(line) has waited for its answer for \(WaitReporter.patience)."
        case .stream(let line):
            return "\(line) has waited for the end of its stream for \(WaitReporter.patience)."
        case .sleep:
            return "A task has slept on a MockClock for \(WaitReporter.patience) of real time, and "
                + "nothing has moved the clock."
        case .call(let call, let sourceLocation, let progress, let occasion):
            let what =
                switch occasion {
                case .lasted: "has waited for \(WaitReporter.patience)"
                case .cancelled: "was cancelled while it waited"
                case .stuck: "ends early, because nothing is left that could end it"
                }
            return "\(call) (\(sourceLocation)) \(what): \(progress)."
        }
    }

    private var requestLines: [String] {
        guard !networks.isEmpty, networks.allSatisfy({ $0.requestCount == 0 }) else { return [] }
        return [WaitReport.noRequest]
    }

    /// The advice for a network that received no request.
    static let noRequest =
        "The network received no request. Perhaps no load was started or awaited, or the load "
        + "uses another session than the network's."

    /// Returns the texts of the first elements, and the number of the others.
    fileprivate static func list<T>(_ elements: [T], _ text: (T) -> String) -> String {
        let rest = elements.count - shownCount
        let more = rest > 0 ? ["\(rest) more"] : []
        return (elements.prefix(shownCount).map(text) + more).joined(separator: ", ")
    }
}

extension WaitReport.Network {
    fileprivate var lines: [String] { errorLines + waitingLines }

    private var errorLines: [String] {
        guard errorCount > 0 else { return [] }
        let texts = errors.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        let rest = errorCount - errors.count
        return ["\(errorCount.requests) got no answer:"] + texts.map { "  \($0)" }
            + (rest > 0 ? ["  and \(rest) more."] : [])
    }

    /// One line for each stub and cause, in the order of the first requests.
    private var waitingLines: [String] {
        var counts: [WaitReport.Waiting: Int] = [:]
        var groups: [WaitReport.Waiting] = []
        for request in waiting {
            if counts[request] == nil { groups.append(request) }
            counts[request, default: 0] += 1
        }
        return groups.prefix(WaitReport.shownCount).map { $0.line(of: counts[$0] ?? 0) }
            + (groups.count > WaitReport.shownCount
                ? ["The requests of \(groups.count - WaitReport.shownCount) more stubs wait."] : [])
    }
}

extension WaitReport.Waiting {
    fileprivate func line(of count: Int) -> String {
        let requests = count.requests
        let answerer = stub ?? "the closure of the network"
        return switch cause {
        case .release:
            "\(answerer.capitalizedSentence) holds \(requests). To release "
                + "\(count == 1 ? "it" : "them"), call stub.release()."
        case .handler where stub == nil:
            "The closure of the network has not returned for \(requests)."
        case .handler: "The handler of \(answerer) has not returned for \(requests)."
        case .session: "The session to which \(answerer) passes \(requests) has not answered."
        case .clock: "\(answerer.capitalizedSentence) delays \(requests)."
        case .writer: "The writer of \(answerer) has not returned for \(requests)."
        case .test:
            "\(answerer.capitalizedSentence) keeps the "
                + (count == 1 ? "stream of 1 request" : "streams of \(requests)")
                + " open. To end \(count == 1 ? "it" : "them"), call stub.finish()."
        case .nothing:
            "\(answerer.capitalizedSentence) never answers \(requests): its response is .hanging."
        }
    }
}

extension WaitReport.Clock {
    /// - Parameter isOfNetwork: Whether a network has this clock.
    fileprivate func lines(ofNetwork isOfNetwork: Bool) -> [String] {
        var lines = ["The clock is at \(now.shown). No task and no response waits on it."]
        if let first = sleepers.first {
            let list = WaitReport.list(sleepers) {
                "\($0.isTask ? "a task" : "a response") at \($0.moment.shown)"
            }
            lines = [
                "The clock is at \(now.shown). It wakes \(list).",
                "To wake the first, move the clock by \((first.moment - now).shown).",
            ]
        } else if deadlines.isEmpty, !isOfNetwork {
            lines.append(
                "Perhaps it was not passed: MockNetwork(clock: clock), .retrying(clock: clock).")
        }
        if !deadlines.isEmpty {
            lines.append("Deadlines on the clock: \(WaitReport.list(deadlines, \.shown)).")
        }
        return lines
    }
}

extension Duration {
    /// The duration as text, rounded up to microseconds.
    fileprivate var shown: String {
        let (seconds, attoseconds) = components
        let microseconds = (attoseconds + 999_999_999_999) / 1_000_000_000_000
        return "\(Duration.seconds(seconds) + .microseconds(microseconds))"
    }
}

extension Int {
    fileprivate var requests: String { "\(self) \(self == 1 ? "request" : "requests")" }
}

extension String {
    fileprivate var capitalizedSentence: String { prefix(1).uppercased() + dropFirst() }
}
