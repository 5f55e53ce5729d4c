import APIKitLite

/// The text about something that waits for the test, and about what keeps it from ending.
///
/// The text depends only on the values in the report. All texts in it are redacted.
struct WaitReport: Sendable {
    /// A call of the test, such as `stub.waitForRequests(3)`.
    struct Call: Sendable {
        let text: String
        let sourceLocation: String
        let progress: @Sendable () -> String
    }

    /// What waits on a clock that only a test moves.
    struct Clock: Sendable {
        var now: Duration
        var sleepers: [(isTask: Bool, moment: Duration)] = []
        var deadlines: [Duration] = []
    }

    struct Network: Sendable {
        var requestCount = 0
        /// The error texts of the first requests that were not answered.
        var errors: [String] = []
        /// The number of requests that were not answered.
        var errorCount = 0
        /// The requests that still wait for their answers, oldest first.
        var waiting: [Waiting] = []
        /// A sentence about the last request, if it failed in a way that a policy retries.
        var failure: String?
    }

    struct Waiting: Sendable, Hashable {
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
        case clock
        /// The return of the closure that writes a stream.
        case writer
        /// The test, which sends a stream.
        case test
        /// Nothing: the answer has no end.
        case nothing
    }

    /// The number of seconds without an event after which a report is written.
    static let seconds = 5
    static let shownErrors = 2
    private static let shownCount = 5
    static let noRequest =
        "The network received no request. Perhaps no load was started or awaited, or the load "
        + "uses another session than the network's."

    var calls: [Call] = []
    /// The oldest request that only the test can end, and whether its client waits for the end of a
    /// stream.
    var request: (line: String, isStream: Bool)?
    /// The clock on which something may wait; nil if time passes without the test.
    var clock: Clock?
    var networks: [Network] = []

    private var hasSleepingTask: Bool { clock?.sleepers.contains(where: \.isTask) == true }

    /// Whether something waits that only the test can end.
    var isForTheTest: Bool { !calls.isEmpty || request != nil || hasSleepingTask }
}

extension WaitReport: CustomStringConvertible {
    /// The first lines say what waits; each further line is indented.
    var description: String {
        let isUnused = !networks.isEmpty && networks.allSatisfy { $0.requestCount == 0 }
        let details =
            (isUnused && !calls.isEmpty ? [Self.noRequest] : []) + networks.flatMap(\.lines)
            + (clock.map { $0.lines + clockAdvice($0) } ?? streamAdvice)
        return (headlines + details.map { "  " + $0 }).joined(separator: "\n")
    }

    /// The advice for a clock on which nothing waits.
    private func clockAdvice(_ clock: Clock) -> [String] {
        guard clock.sleepers.isEmpty, clock.deadlines.isEmpty else { return [] }
        if networks.isEmpty {
            return [
                "Perhaps it was not passed: MockNetwork(clock: clock), .retrying(clock: clock)."
            ]
        }
        return networks.compactMap(\.failure).map { "\($0) Does retrying(clock:) have this clock?" }
    }

    /// The advice for a stream of a network without a clock: a policy may have one.
    private var streamAdvice: [String] {
        guard networks.contains(where: { $0.waiting.contains { $0.cause == .test } }) else {
            return []
        }
        return [
            "If timingOut(idle:) has a MockClock, pass it to MockNetwork(clock:), too. Then this "
                + "report shows its deadlines."
        ]
    }

    private var headlines: [String] {
        let time = Duration.seconds(Self.seconds)
        if !calls.isEmpty {
            return calls.map {
                "\($0.text) (\($0.sourceLocation)) has waited for \(time): \($0.progress())."
            }
        }
        if let request {
            let what = request.isStream ? "the end of its stream" : "its answer"
            return ["\(request.line) has waited for \(what) for \(time)."]
        }
        return [
            "A task has slept on a MockClock for \(time) of real time, and nothing has moved the "
                + "clock."
        ]
    }

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
        let counts = Dictionary(waiting.map { ($0, 1) }, uniquingKeysWith: +)
        var seen: Set<WaitReport.Waiting> = []
        let groups = waiting.filter { seen.insert($0).inserted }
        let rest = groups.count - WaitReport.shownCount
        return groups.prefix(WaitReport.shownCount).map { $0.line(of: counts[$0] ?? 0) }
            + (rest > 0 ? ["The requests of \(rest) more stubs wait."] : [])
    }
}

extension WaitReport.Waiting {
    fileprivate func line(of count: Int) -> String {
        let (requests, them) = (count.requests, count == 1 ? "it" : "them")
        let stub = stub ?? "the closure of the network"
        let sentence = stub.prefix(1).uppercased() + stub.dropFirst()
        return switch cause {
        case .release: "\(sentence) holds \(requests). To release \(them), call stub.release()."
        case .handler where self.stub == nil: "\(sentence) has not returned for \(requests)."
        case .handler: "The handler of \(stub) has not returned for \(requests)."
        case .session: "The session to which \(stub) passes \(requests) has not answered."
        case .clock: "\(sentence) delays \(requests)."
        case .writer: "The writer of \(stub) has not returned for \(requests)."
        case .test:
            "\(sentence) keeps the \(count == 1 ? "stream" : "streams") of \(requests) open. "
                + "To end \(them), call stub.finish()."
        case .nothing: "\(sentence) never answers \(requests): its response is .hanging."
        }
    }
}

extension WaitReport.Clock {
    fileprivate var lines: [String] {
        var lines = ["The clock is at \(now.shown). No task and no response waits on it."]
        if let first = sleepers.first {
            let list = WaitReport.list(sleepers) {
                "\($0.isTask ? "a task" : "a response") at \($0.moment.shown)"
            }
            lines = [
                "The clock is at \(now.shown). It wakes \(list).",
                "To wake the first, move the clock by \((first.moment - now).shown).",
            ]
        }
        if !deadlines.isEmpty {
            let list = WaitReport.list(deadlines, \.shown)
            lines.append("Deadlines on the clock, which are no sleepers: \(list).")
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
