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

    typealias Handler = @Sendable (RecordedRequest) async throws -> MockResponse

    enum Reply: Sendable {
        case responses([MockResponse])
        case handler(Handler)
    }

    let matcher: RequestMatcher
    let times: Times
    let place: String
    /// What the stub was made wrongly from.
    let mistake: String?
    private let reply: Reply
    private let journal: Journal
    private let count = Locked(0)

    init(
        _ matcher: RequestMatcher, _ reply: Reply, times: Times, place: String, journal: Journal
    ) {
        self.matcher = matcher
        self.reply = reply
        var responses: [MockResponse] = []
        if case .responses(let given) = reply { responses = given }
        mistake = matcher.mistake ?? responses.lazy.compactMap(\.mistake).first
        self.times = times
        self.place = place
        self.journal = journal
    }

    /// How many requests this stub has answered.
    public var callCount: Int { count.withLock { $0 } }

    /// The requests this stub has answered, oldest first, as far as the journal reaches.
    public var requests: [RecordedRequest] {
        journal.requests.filter { $0.stub == ObjectIdentifier(self) }
    }
}

extension Stub {
    /// One answer that a stub gives: ready, or to be made by its handler.
    enum Turn: Sendable {
        case response(MockResponse)
        case handler(Handler)
    }

    /// Takes the next answer, or nil where the stub is used up. Counts.
    func takeTurn() -> Turn? {
        let number = count.withLock { count -> Int? in
            if let most, count >= most { return nil }
            count += 1
            return count
        }
        guard let number else { return nil }
        switch reply {
        case .handler(let handler): return .handler(handler)
        case .responses(let responses):
            return .response(responses[min(number, responses.count) - 1])
        }
    }

    private var most: Int? {
        switch times {
        case .once: 1
        case .exactly(let n): n
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
        case .once: wanted = "once"
        case .exactly(let n): wanted = "exactly \(n.times)"
        case .atLeast(let n): wanted = "at least \(n.times)"
        case .never: wanted = "never"
        }
        let actual = count == 0 ? "was never used" : "was used \(count.times)"
        return "The stub for \(matcher) (\(place)) \(actual), but should be used \(wanted)."
    }
}

extension Int {
    fileprivate var times: String { self == 1 ? "once" : "\(self) times" }
}
