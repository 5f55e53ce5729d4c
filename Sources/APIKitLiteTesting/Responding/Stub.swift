import APIKitLite
import Foundation

/// A rule of a ``MockNetwork``: which requests it answers, with which responses, and how often.
public final class Stub: Sendable {
    /// How often a stub may answer, and the number that ``MockNetwork/verify(fileID:line:)``
    /// expects.
    public enum Times: Sendable, Equatable {
        /// Any number of times. `verify()` accepts every number.
        case any
        /// Once. Further requests go to older stubs.
        case once
        /// Exactly `n` times. Further requests go to older stubs.
        case exactly(Int)
        /// Any number of times. `verify()` expects at least `n`.
        case atLeast(Int)
        /// Not at all. A request that matches fails immediately.
        case never

        /// Whether more requests than a number are allowed.
        var isAtLeast: Bool { if case .atLeast = self { true } else { false } }
    }

    /// What a request gets after the last response of a stub.
    public enum AfterLast: Sendable {
        /// The last response again.
        case repeatLast
        /// A ``MockError``.
        case fail
    }

    /// The type of a closure that makes responses.
    typealias Handler = @Sendable (RecordedRequest) async throws -> MockResponse

    /// The type of a closure that returns an answer, as the handler of a network does.
    typealias Closure = @Sendable (URLRequest) async throws -> (URLResponse, Data?)

    /// The source of the stub's responses.
    enum ResponseSource: Sendable {
        case responses([MockResponse], then: AfterLast)
        case handler(Handler)
        case closure(Closure)
    }

    let matcher: RequestMatcher
    let times: Times
    let sourceLocation: String
    /// The recording that the stub answers from; nil for a stub of the test.
    let recording: Recording?
    /// What is wrong with the stub or its matcher, so that no request can be answered; nil if both are
    /// valid.
    let configurationError: String?
    /// True from `release()` on. Held responses wait for that.
    let gate = Monitor(false)
    /// What the test sends.
    let streams = StubStreams()
    let source: ResponseSource
    /// Counts the requests. Its entries refer to their stub until the network is released.
    let journal: Journal
    /// The number of the stub in the journal.
    let number: Int
    let watch: HangReporter
    /// The number of responses taken: those of recorded requests and of requests that are about to
    /// be recorded. It has its own lock.
    private let taken = Locked(0)

    /// Creates a stub. `verified` is where the network was already verified; nil if it was not.
    init(
        _ matcher: RequestMatcher, _ source: ResponseSource, times: Times, sourceLocation: String,
        recording: Recording? = nil, journal: Journal, watch: HangReporter,
        verified: String?
    ) {
        self.matcher = matcher
        self.source = source.naming
        self.times = times
        self.sourceLocation = sourceLocation
        self.recording = recording
        self.journal = journal
        number = journal.addStub()
        self.watch = watch
        let lateness = verified.map {
            "verify() was called (\($0)) before the stub for \(matcher) was added, so nothing would "
                + "check it. Add stubs first, and verify at the end."
        }
        configurationError =
            lateness ?? matcher.configurationError ?? times.configurationError
    }

    /// What is wrong with the stub, or else with each of its responses. A request fails only with an
    /// unusable response that is its own.
    var configurationErrors: [String] {
        if let configurationError { return [configurationError] }
        guard case .responses(let responses, _) = source else { return [] }
        return responses.compactMap(\.configurationError)
    }

    /// The matcher, and where the stub was made.
    var label: String { "\(matcher) (\(sourceLocation))" }

    /// The number of requests that the stub answered.
    public var callCount: Int { journal.count(of: self) }

    /// The requests that the stub answered and that the journal keeps, oldest first; empty after
    /// the network was released.
    public var requests: [RecordedRequest] {
        journal.requests.filter { $0.stub === self }
    }

    /// Suspends until the stub has received a number of requests, or until the task is cancelled.
    ///
    /// With a response that is ``MockResponse/held``, a test can then check what the client does
    /// while it waits.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - count: The number of requests, counted from the creation of the stub.
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    public func waitForRequests(
        _ count: Int = 1, fileID: StaticString = #fileID, line: UInt = #line
    ) async {
        guard callCount < count else { return }
        let text = "stub.waitForRequests(\(count == 1 ? "" : "\(count)"))"
        await watch.run(text, "\(fileID):\(line)") { [self] in
            "\(callCount) of \(count.requests) came to the stub for \(label)"
        } _: {
            await journal.waitForRequests(count, of: self)
        }
    }

    /// Suspends until the reader of the stub's response has taken everything that was sent and waits
    /// for more, or has left.
    ///
    /// The code of the reader has then run for each piece, so that a test can check what it did,
    /// and the reader's idle timeout has begun again, so that a test can move the clock. If several
    /// requests are unanswered, waits for each reader. If none came yet, waits for the first one.
    /// If all have ended, returns immediately.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - fileID: The file that a report names as the place of this call.
    ///   - line: The line that a report names as the place of this call.
    /// - Throws: ``MockError`` if the client does not read with `stream` of this library, such as
    ///   `exchange(_:)`, a delegate, or a client on a socket; `CancellationError`.
    public func waitForReader(
        fileID: StaticString = #fileID, line: UInt = #line
    ) async throws {
        let sourceLocation = "\(fileID):\(line)"
        let isKnown = await watch.run("stub.waitForReader()", sourceLocation) { [self] in
            callCount == 0
                ? "no request came to the stub for \(label)"
                : "the reader of the stub for \(label) has not asked for more"
        } _: {
            await journal.waitForRequests(1, of: self)
            while !Task.isCancelled {
                // A piece that was sent may still be on its way to the reader.
                let readers = journal.pending(of: self).map(\.isReaderDone)
                if readers.contains(nil) { return false }
                if !readers.contains(false) { return true }
                // Nothing reports what a reader does, because that would slow down every piece.
                try? await Task.sleep(for: .milliseconds(1))
            }
            return true
        }
        try Task.checkCancellation()
        if isKnown { return }
        throw MockError(
            .noReader,
            """
            stub.waitForReader() (\(sourceLocation)) failed for the stub for \(label): Its client \
            does not read with stream() of this library, so nothing shows what it has read.
            """)
    }

    /// Releases the responses that are ``MockResponse/held``: those that wait, and all that follow.
    public func release() {
        gate.update { $0 = true }
    }
}

extension Stub {
    /// One response of a stub: a value, or a function that makes it.
    enum NextResponse: Sendable {
        case response(MockResponse)
        case handler(Handler)
        case closure(Closure)
        /// No response: all of so many were given, and `AfterLast.fail` follows.
        case usedUp(Int, of: Recording? = nil)
    }

    /// Returns the next response; nil if the stub is used up.
    func nextResponse() -> NextResponse? {
        var number = 1
        if isNumbered {
            let next = taken.withLock { taken -> Int? in
                if let most, taken >= most { return nil }
                taken += 1
                return taken
            }
            guard let next else { return nil }
            number = next
        }
        switch source {
        case .handler(let handler): return .handler(handler)
        case .closure(let closure): return .closure(closure)
        case .responses(let responses, _) where number <= responses.count:
            return .response(responses[number - 1])
        case .responses(let responses, .repeatLast):
            return .response(responses[responses.count - 1])
        case .responses(_, .fail): return .usedUp(number)
        }
    }

    /// Whether the number of a request decides what it gets.
    private var isNumbered: Bool {
        guard most == nil, case .responses(let responses, let afterLast) = source else {
            return most != nil
        }
        return responses.count > 1 || afterLast == .fail
    }

    /// The number of its responses; 0 if a function makes them.
    var responseCount: Int {
        if case .responses(let responses, _) = source { responses.count } else { 0 }
    }

    /// The number of requests that the stub may answer; nil if there is no limit.
    var most: Int? {
        switch times {
        case .once: 1
        // A negative number is a configuration error, with which every request must fail.
        case .exactly(let n): n < 0 ? nil : n
        case .any, .atLeast, .never: nil
        }
    }

    /// The text of `verify()` about this stub; nil if it was used as often as expected.
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
        return "The stub for \(label) \(actual), but should \(wanted)."
    }
}

extension Stub {
    /// Stubs that were added together.
    struct Group: Sendable {
        /// Returns which of the stubs answers a request, and its response.
        typealias Choice = @Sendable ([Stub], RequestReading) -> (Stub, Stub.NextResponse)?

        var stubs: [Stub]
        let hasPredicate: Bool
        private let choice: Choice

        init(_ stubs: [Stub], choosing choice: @escaping Choice = Self.newest) {
            self.stubs = stubs
            self.choice = choice
            hasPredicate = stubs.contains { $0.matcher.hasPredicate }
        }

        /// Returns the stub that answers a request, and its response; nil if none does. The captured
        /// path values are in the reading.
        func next(for reading: RequestReading) -> (Stub, Stub.NextResponse)? {
            choice(stubs, reading)
        }

        @Sendable private static func newest(
            of stubs: [Stub], for reading: RequestReading
        ) -> (Stub, Stub.NextResponse)? {
            for stub in stubs.reversed() {
                if let captured = stub.matcher.match(reading), let next = stub.nextResponse() {
                    reading.pathValues = captured
                    return (stub, next)
                }
            }
            return nil
        }
    }
}

extension Stub.ResponseSource {
    /// The same source. Of several responses, the error of an unusable one says which it is.
    fileprivate var naming: Self {
        guard case .responses(var responses, let afterLast) = self, responses.count > 1 else {
            return self
        }
        for (index, response) in responses.enumerated() {
            guard let error = response.configurationError else { continue }
            responses[index].configurationError =
                "Response \(index + 1) of \(responses.count): \(error)"
        }
        return .responses(responses, then: afterLast)
    }
}

extension Stub.Times {
    /// What is wrong with the number; nil if it is valid.
    fileprivate var configurationError: String? {
        switch self {
        case .exactly(let n) where n < 0: "times: .exactly(\(n)): a count must not be negative."
        case .atLeast(let n) where n < 0: "times: .atLeast(\(n)): a count must not be negative."
        case .any, .once, .exactly, .atLeast, .never: nil
        }
    }
}

extension Int {
    fileprivate var times: String { self == 1 ? "once" : "\(self) times" }
}
