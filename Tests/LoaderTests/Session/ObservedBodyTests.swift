import Foundation
import TestSupport
import Testing

@testable import APIKitLite

/// The reports about the end of a body.
@Suite(.limited) struct ObservedBodyTests {
    @TaskLocal private static var isReader = false

    private let reports = Locked<[String]>([])

    /// The code that cancels a task may hold a lock that the observer needs.
    @Test func theReaderReportsItsCancellation() async throws {
        let reading = Gate()
        let body = HTTPBody(unfolding: {
            reading.open()
            _ = try await waitForCancellation()
            return nil
        })
        body.onEnd { [reports] ending, count in
            reports.withLock { $0.append("\(ending), \(count), \(Self.isReader)") }
        }
        let reader = Task {
            try await Self.$isReader.withValue(true) {
                for try await _ in body {}
            }
        }

        await reading.wait()
        reader.cancel()

        await #expect(throws: URLError(.cancelled)) { try await reader.value }
        #expect(reports.withLock { $0 } == ["left, 0, true"])
    }
}
