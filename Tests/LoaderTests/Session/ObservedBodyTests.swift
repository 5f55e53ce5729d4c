import Foundation
import TestSupport
import Testing

@testable import APIKitLite

/// What is reported about a body, and where.
@Suite(.timeLimit(.minutes(5))) struct ObservedBodyTests {
    @TaskLocal private static var isReader = false

    /// The code that cancels a task may hold a lock that the observer needs.
    @Test func theReaderReportsItsCancellation() async throws {
        let reading = Gate()
        let reports = Locked<[Bool]>([])
        let body = HTTPBody(unfolding: {
            reading.open()
            _ = try await waitForCancellation()
            return nil
        })
        let observed = body.observed { event in
            if case .end(.left) = event { reports.withLock { $0.append(Self.isReader) } }
        }
        let reader = Task {
            try await Self.$isReader.withValue(true) {
                for try await _ in observed {}
            }
        }

        await reading.wait()
        reader.cancel()

        await #expect(throws: URLError(.cancelled)) { try await reader.value }
        #expect(reports.withLock { $0 } == [true])
    }

    /// The cancellation may come just before the reader waits, or just after.
    @Test(arguments: [true, false])
    func aCancellationIsNotReportedByItsCaller(_ isReadAgain: Bool) async throws {
        let reports = Locked<[String]>([])
        let buffer = BodyBuffer(limit: .max)
        buffer.append(Data("a".utf8))
        var observed: BodyTransfer? = BodyTransfer(
            ObservedBody(BodyTransfer(buffer)) { event in
                reports.withLock { $0.append("\(event)") }
            })
        _ = try await observed?.next()

        observed?.cancel()
        #expect(reports.withLock { $0 } == ["piece(1 bytes)"])
        if isReadAgain {
            await #expect(throws: URLError(.cancelled)) { try await observed?.next() }
        }
        observed = nil

        #expect(reports.withLock { $0 } == ["piece(1 bytes)", "end(APIKitLite.StreamEnding.left)"])
    }

    @Test func reportsNothingAfterTheEnd() async throws {
        let source = LatePiece()
        let reports = Locked<[String]>([])
        let observed = ObservedBody(source) { event in
            reports.withLock { $0.append("\(event)") }
        }
        source.whileReading = { observed.end(throwing: URLError(.cancelled)) }

        #expect(try await observed.next() == Data("a".utf8))
        observed.end(throwing: URLError(.timedOut))

        #expect(reports.withLock { $0 } == ["piece(1 bytes)", "end(APIKitLite.StreamEnding.left)"])
    }

    /// A source whose piece arrives just before the transfer ends.
    private final class LatePiece: BodySource, @unchecked Sendable {  // Set before it is read.
        var whileReading: () -> Void = {}

        func next() async throws -> Data? {
            whileReading()
            return Data("a".utf8)
        }

        func end(throwing error: any Error) {}
    }
}
