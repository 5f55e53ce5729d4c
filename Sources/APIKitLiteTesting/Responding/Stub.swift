import APIKitLite
import Foundation

/// A rule of a ``MockNetwork``: which requests it answers, with what, and how often.
public final class Stub: Sendable {
    /// How often a stub may answer, and how often `verify()` wants it to.
    public enum Times: Sendable, Equatable {
        /// Any number of times; never complained about.
        case any
        /// Once; then older stubs are asked.
        case once
        /// Exactly `n` times; then older stubs are asked.
        case exactly(Int)
        /// Any number of times, but at least `n`.
        case atLeast(Int)
        /// Not at all: a request that matches fails at once.
        case never
    }

    /// What follows after the last of several responses.
    public enum AfterLast: Sendable {
        /// The last response is given again and again.
        case repeatLast
        /// The next request fails: the responses are used up.
        case fail
        /// The first response is given again, and so on.
        case startOver
    }

    typealias Handler = @Sendable (RecordedRequest) async throws -> MockResponse

    enum Behavior: Sendable {
        case responses([MockResponse], then: AfterLast)
        case handler(Handler)
    }

    let matcher: RequestMatcher
    let times: Times
    let sourceLocation: String
    /// What the stub was made wrongly from.
    let configurationError: String?
    /// Opened by `release()`; responses that are held wait for it.
    let gate = AwaitableCounter()
    private let behavior: Behavior
    // The journal's entries name their stub.
    private weak let journal: Journal?
    private let count = AwaitableCounter()
    /// How many responses were taken: ahead of `count` by the requests that are not recorded yet.
    private let taken = Locked(0)

    /// - Parameter verified: Where the network was verified already.
    init(
        _ matcher: RequestMatcher, _ behavior: Behavior, times: Times, sourceLocation: String,
        journal: Journal,
        verified: String?
    ) {
        self.matcher = matcher
        self.behavior = behavior
        self.times = times
        self.sourceLocation = sourceLocation
        self.journal = journal
        var responses: [MockResponse] = []
        if case .responses(let given, _) = behavior { responses = given }
        let lateness = verified.map {
            "The stub for \(matcher) came too late: the network was verified before (\($0)), and "
                + "would not notice what this stub is used for. Verify at the end of the test."
        }
        configurationError =
            lateness ?? matcher.configurationError ?? times.configurationError
            ?? responses.lazy.compactMap(\.configurationError).first
    }

    /// How many requests this stub has answered.
    public var callCount: Int { count.number }

    /// The requests this stub has answered, oldest first, as far as the journal reaches; none when
    /// the network is gone.
    public var requests: [RecordedRequest] {
        journal?.requests.filter { $0.stub === self } ?? []
    }

    /// Suspends until this many requests have come to this stub, or the task is cancelled.
    ///
    /// The counterpart of a response that is ``MockResponse/held``: what the client does while it
    /// waits can be looked at.
    public func started(_ count: Int = 1) async {
        await self.count.wait(for: count)
    }

    /// Lets go the responses that are ``MockResponse/held``: those that wait, and all that follow.
    public func release() {
        gate.update { $0 = 1 }
    }
}

extension Stub {
    /// One answer that a stub gives: ready, or to be made by its handler.
    enum NextResponse: Sendable {
        case response(MockResponse)
        case handler(Handler)
        /// All of so many responses were given, and nothing is to follow.
        case usedUp(Int)
    }

    /// Takes the next answer, or nil where older stubs are to be asked.
    func nextResponse() -> NextResponse? {
        let number = taken.withLock { taken -> Int? in
            if let most, taken >= most { return nil }
            taken += 1
            return taken
        }
        guard let number else { return nil }
        switch behavior {
        case .handler(let handler): return .handler(handler)
        case .responses(let responses, _) where number <= responses.count:
            return .response(responses[number - 1])
        case .responses(let responses, .repeatLast):
            return .response(responses[responses.count - 1])
        case .responses(let responses, .fail): return .usedUp(responses.count)
        case .responses(let responses, .startOver):
            return .response(responses[(number - 1) % responses.count])
        }
    }

    /// Counts a request that took a turn, and wakes whoever waits for it. The request is in the
    /// journal by now: whoever is woken may look there.
    func didRecord() {
        count.update { $0 += 1 }
    }

    private var most: Int? {
        switch times {
        case .once: 1
        // A mistake is told to each request.
        case .exactly(let n): n < 0 ? nil : n
        case .any, .atLeast, .never: nil
        }
    }

    /// What `verify()` has to say about this stub.
    var finding: String? {
        let count = callCount
        let wanted: String
        switch times {
        case .any: return nil
        case .atLeast(let n) where count >= n: return nil
        case .exactly(let n) where count == n: return nil
        case .once where count == 1: return nil
        case .never where count == 0: return nil
        case .once: wanted = "be used once"
        case .exactly(let n): wanted = "be used exactly \(n.times)"
        case .atLeast(let n): wanted = "be used at least \(n.times)"
        case .never: wanted = "never be used"
        }
        let actual = count == 0 ? "was never used" : "was used \(count.times)"
        return "The stub for \(matcher) (\(sourceLocation)) \(actual), but should \(wanted)."
    }
}

extension Stub.Times {
    fileprivate var configurationError: String? {
        switch self {
        case .exactly(let n) where n < 0: "times: .exactly(\(n)): a count is not negative."
        case .atLeast(let n) where n < 0: "times: .atLeast(\(n)): a count is not negative."
        case .any, .once, .exactly, .atLeast, .never: nil
        }
    }
}

extension Int {
    fileprivate var times: String { self == 1 ? "once" : "\(self) times" }
}

extension Stub: CustomStringConvertible {
    /// The requests that the stub answers, where it was made, and how often it was used.
    public var description: String {
        "stub for \(matcher) (\(sourceLocation)), used \(callCount.times)"
    }
}
