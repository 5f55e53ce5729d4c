import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

/// The reports about the end of a body.
@Suite(.limited) struct ObservedBodyTests {
    private struct Failure: Error, CustomStringConvertible { let description = "Failure" }

    private let pair = Data("ab".utf8)

    @TaskLocal private static var isReader = false

    private let reports = Locked<[String]>([])

    private func observed(_ body: HTTPBody) -> HTTPBody {
        body.reportingEnd { [reports] end in
            reports.withLock { $0.append("\(end), \(Self.isReader)") }
        }
    }

    private func read(_ body: HTTPBody) async throws {
        try await Self.$isReader.withValue(true) { for try await _ in body {} }
    }

    /// The code that cancels a task may hold a lock that the observer needs.
    @Test func theReaderReportsItsCancellation() async throws {
        let reading = Gate()
        let body = observed(
            HTTPBody(unfolding: {
                reading.open()
                _ = try await waitForCancellation()
                return nil
            }))
        let reader = Task { try await read(body) }

        await reading.wait()
        reader.cancel()
        await #expect(throws: URLError(.cancelled)) { try await reader.value }
        #expect(reports.withLock { $0 } == ["left(bytes: 0), true"])
    }

    @Test func reportsTheEndOfTheReader() async throws {
        try await read(observed(HTTPBody([pair, pair])))
        try? await read(observed(HTTPBody([pair], throwing: Failure())))
        for try await _ in observed(HTTPBody([pair, pair])) { break }
        _ = observed(HTTPBody(Data("abc".utf8)))
        let expected = [
            "closed(bytes: 4), true", "failed(Failure), true", "left(bytes: 2), false",
            "closed(bytes: 3), false",
        ]
        #expect(reports.withLock { $0 } == expected)
    }

    /// An interceptor may have read the body that it returns.
    @Test func reportsWhatTheReaderOfABodyThatWasReadGets() async throws {
        let body = HTTPBody([pair])
        try await read(body)
        let second = observed(body)
        await #expect(throws: TransportError.bodyReadTwice) { try await read(second) }
        #expect(reports.withLock { $0 } == ["failed(\(TransportError.bodyReadTwice)), true"])
    }

    /// An inner body is ended by the failure of a function around it.
    @Test func reportsThatAFunctionAroundItHasFailed() async throws {
        let body = try observed(HTTPBody([pair])).map { _ in throw Failure() }
        await #expect(throws: Failure.self) { try await read(body) }
        #expect(reports.withLock { $0 } == ["left(bytes: 2), true"])
    }

    @Test func reportsTheEndOnceIfItIsEndedWhileItIsRead() async throws {
        let body = observed(HTTPBody(BodyBuffer()))
        let executor = QueueExecutor(isSerial: true)
        let reader = executor.start { try await read(body) }

        await executor.settle()
        #expect(body.end(throwing: URLError(.timedOut)))
        await #expect(throws: URLError(.timedOut)) { try await reader.value }
        #expect(!body.end())
        // The error has lines of its own.
        let report = try #require(reports.withLock { $0 }.first)
        #expect(reports.withLock { $0 }.count == 1)
        #expect(report.hasPrefix("failed"))
    }

    @Test func aReleasedBodyWasLeft() {
        _ = observed(observed(HTTPBody([pair])))
        #expect(reports.withLock { $0 } == ["left(bytes: 0), false", "left(bytes: 0), false"])
    }
}
