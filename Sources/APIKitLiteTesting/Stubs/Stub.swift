import APIKitLite
import Foundation

/// A rule of a ``MockNetwork``: which requests receive which responses, and how often.
public final class Stub: Sendable {
    /// How often a stub may respond, and how often ``MockNetwork/verify()`` expects a response.
    public enum Times: Sendable, Equatable {
        /// Any number of times. `verify()` accepts every number.
        case any
        /// Once. Further requests go to older stubs.
        case once
        /// Exactly `n` times. Further requests go to older stubs.
        case exactly(Int)
        /// Any number of times. `verify()` expects at least `n` responses.
        case atLeast(Int)
        /// Never. A request that matches fails immediately.
        case never

        /// Whether the expected number is a minimum.
        var isAtLeast: Bool { if case .atLeast = self { true } else { false } }
    }

    /// What a request receives after a stub's last response.
    public enum AfterLast: Sendable {
        /// The last response again.
        case repeatLast
        /// A ``MockError``.
        case fail
    }

    /// A closure that creates responses.
    typealias Handler = @Sendable (RecordedRequest) async throws -> MockResponse

    /// The source of the stub's responses.
    enum ResponseSource: Sendable {
        case responses([MockResponse], then: AfterLast)
        case handler(Handler)
    }

    let matcher: RequestMatcher
    let times: Times
    let sourceLocation: String
    /// The recording that the stub responds from; nil for any other stub.
    let recording: Recording?
    let isReleased = Monitor(false)
    /// The streams to which the test can send.
    let streams = Monitor(OpenStream.List())
    let source: ResponseSource
    /// The network's journal, which counts the stub's requests.
    let journal: Journal
    let number: Int
    let watch: HangReporter
    /// The number of responses taken by requests, including requests not yet recorded; unused if
    /// the stub has a recording. This property has its own lock.
    private let taken = Locked(0)

    init(
        _ matcher: RequestMatcher, _ source: ResponseSource, times: Times, sourceLocation: String,
        recording: Recording? = nil, of core: NetworkCore
    ) {
        self.matcher = matcher
        self.source = source
        self.times = times
        self.sourceLocation = sourceLocation
        self.recording = recording
        journal = core.journal
        number = journal.addStub()
        watch = core.watch
    }

    /// Why the stub cannot respond to any request; nil if the stub and its matcher are valid.
    var configurationError: String? { matcher.configurationError ?? times.configurationError }

    /// What is wrong with the stub or, if the stub is valid, with each of its responses. An invalid
    /// response fails only the requests that would receive this response.
    var configurationErrors: [MockError] {
        if let error = error(configurationError) { return [error] }
        guard case .responses(let responses, _) = source else { return [] }
        return responses.indices.compactMap {
            error(response($0, of: responses).configurationError)
        }
    }

    /// Returns the error for a configuration error, if there is one, with the place of the stub.
    func error(_ configurationError: String?) -> MockError? {
        configurationError.map { MockError("\($0) (\(sourceLocation))") }
    }

    var label: String { "\(matcher) (\(sourceLocation))" }

    /// The number of requests that the stub has received, including pending and failed requests.
    public var callCount: Int { journal.count(ofStub: number) }

    /// The stub's requests that the journal keeps, oldest first.
    public var requests: [RecordedRequest] {
        journal.requests.filter { $0.stub == number }
    }

    /// Suspends until the stub has received a number of requests, or until the task is cancelled.
    ///
    /// Use a ``MockResponse/held`` response to check, after this call, what the client does while
    /// it waits.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - count: The number of requests since the stub was created.
    ///   - fileID: The file of this call, for reports.
    ///   - line: The line of this call, for reports.
    public func waitForRequests(
        _ count: Int = 1, fileID: StaticString = #fileID, line: UInt = #line
    ) async {
        guard callCount < count else { return }
        let text = "stub.waitForRequests(\(count == 1 ? "" : "\(count)"))"
        await watch.run(text, "\(fileID):\(line)") { [self] in
            "\(callCount) of \(count.requests) came to the stub for \(label)"
        } _: {
            await journal.waitForRequests(count, ofStub: number)
        }
    }

    /// Suspends until the reader of the stub's response has taken everything that was sent and is
    /// waiting for more, or has left.
    ///
    /// After the wait, the reader's code has run for each piece that the reader took, so a test can
    /// check what that code did. The reader's idle timeout has restarted, so a test can move the
    /// clock. If several requests are pending, waits for each reader. If no request has arrived
    /// yet, waits for the first request. If all requests have ended, returns immediately.
    ///
    /// If nothing happens for five seconds, the wait is reported to standard error.
    ///
    /// - Parameters:
    ///   - fileID: The file of this call, for reports.
    ///   - line: The line of this call, for reports.
    /// - Throws: ``MockError`` if a client uses, for example, `data(for:)`, a delegate or a socket
    ///   instead of this library's `stream`; `CancellationError`.
    public func waitForReader(
        fileID: StaticString = #fileID, line: UInt = #line
    ) async throws {
        let sourceLocation = "\(fileID):\(line)"
        try await watch.run("stub.waitForReader()", sourceLocation) { [self] in
            callCount == 0
                ? "no request came to the stub for \(label)"
                : "the reader of the stub for \(label) has not asked for more"
        } _: {
            await journal.waitForRequests(1, ofStub: number)
            while true {
                try Task.checkCancellation()
                // A piece that was sent may still be on its way to the reader.
                let readers = journal.pending(ofStub: number).map(\.isReaderDone)
                if readers.contains(nil) {
                    throw MockError(
                        """
                        stub.waitForReader() (\(sourceLocation)) failed for the stub for \(label): \
                        Its client does not read with stream() of this library, so nothing shows \
                        what it has read.
                        """)
                }
                if !readers.contains(false) { return }
                // Readers do not report what they do, because that would slow down every piece.
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    /// Releases the stub's pending and future ``MockResponse/held`` responses.
    public func release() {
        isReleased.update { $0 = true }
    }
}

extension Stub {
    /// What a stub responds with next: a response, a handler that creates the response, or nothing.
    enum NextResponse: Sendable {
        case response(MockResponse)
        case handler(Handler)
        /// No response after this many responses, because of `AfterLast.fail`.
        case usedUp(after: Int, of: Recording? = nil)
    }

    /// Returns the next response, or nil if the stub has responded as often as `times` allows.
    func nextResponse() -> NextResponse? {
        let number = taken.withLock { taken -> Int? in
            if let most, taken >= most { return nil }
            taken += 1
            return taken
        }
        guard let number else { return nil }
        switch source {
        case .handler(let handler): return .handler(handler)
        case .responses(let responses, .fail) where number > responses.count:
            return .usedUp(after: responses.count)
        case .responses(let responses, _):
            return .response(response(min(number, responses.count) - 1, of: responses))
        }
    }

    /// Returns one of the stub's responses. If there are several, a configuration error names it.
    private func response(_ index: Int, of responses: [MockResponse]) -> MockResponse {
        let response = responses[index]
        guard responses.count > 1, let error = response.configurationError else { return response }
        let name = "Response \(index + 1) of \(responses.count): "
        return response.with(\.configurationError, name + error)
    }

    /// The number of requests that may reach the stub; nil if there is no limit.
    var most: Int? {
        switch times {
        case .once: 1
        // A negative number is a configuration error, which must fail every request.
        case .exactly(let n): n < 0 ? nil : n
        case .any, .atLeast, .never: nil
        }
    }

    /// What `verify()` reports about this stub; nil if the stub was used as often as expected.
    var finding: String? {
        let count = callCount
        let wanted: String? =
            switch times {
            case .any: nil
            case .once: count == 1 ? nil : "be used once"
            case .exactly(let n): count == n ? nil : "be used exactly \(n.times)"
            case .atLeast(let n): count >= n ? nil : "be used at least \(n.times)"
            case .never: count == 0 ? nil : "never be used"
            }
        let actual = count == 0 ? "was never used" : "was used \(count.times)"
        return wanted.map { "The stub for \(label) \(actual), but should \($0)." }
    }
}

extension Stub {
    /// Stubs that were added together: a single stub, or the stubs of an archive.
    struct Group: Sendable {
        var stubs: [Stub]
        let hasPredicate: Bool

        init(_ stubs: [Stub]) {
            self.stubs = stubs
            hasPredicate = stubs.contains { $0.matcher.hasPredicate }
        }

        /// Returns the stub that responds to a request, and its response, or nil if no stub
        /// responds. Stores the captured path values in the reading.
        func next(for reading: RequestReading) -> (Stub, Stub.NextResponse)? {
            guard let stub = stubs.first else { return nil }
            if stub.recording != nil { return nextRecorded(for: reading) }
            guard stub.matcher.match(reading) != nil else { return nil }
            return stub.nextResponse().map { (stub, $0) }
        }
    }
}

extension Stub.Times {
    /// What is wrong with the number; nil if the number is valid.
    fileprivate var configurationError: String? {
        switch self {
        case .exactly(let n) where n < 0, .atLeast(let n) where n < 0:
            "times: .\(self): a count must not be negative."
        case .any, .once, .exactly, .atLeast, .never: nil
        }
    }
}

extension Int {
    fileprivate var times: String { self == 1 ? "once" : "\(self) times" }
}
