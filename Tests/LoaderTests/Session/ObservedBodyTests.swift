import Foundation
import TestSupport
import Testing

@testable import APIKitLite

/// What is reported about the end of a body, and where.
@Suite(.limited) struct ObservedBodyTests {
    @TaskLocal private static var isReader = false

    private let reports = Locked<[String]>([])

    private func observe(_ body: HTTPBody) {
        body.onEnd { [reports] ending, count in
            reports.withLock { $0.append("\(ending), \(count), \(Self.isReader)") }
        }
    }

    /// The code that cancels a task may hold a lock that the observer needs.
    @Test func theReaderReportsItsCancellation() async throws {
        let reading = Gate()
        let body = HTTPBody(unfolding: {
            reading.open()
            _ = try await waitForCancellation()
            return nil
        })
        observe(body)
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

    @Test func reportsACompleteBodyImmediately() {
        observe(HTTPBody(Data("abc".utf8)))

        #expect(reports.withLock { $0 } == ["complete, 3, false"])
    }

    @Test(arguments: [true, false])
    func reportsTheEndOnce(_ isReadAgain: Bool) async throws {
        let buffer = BodyBuffer()
        buffer.append(Data("a".utf8))
        var body: HTTPBody? = HTTPBody(buffer)
        observe(try #require(body))
        var pieces = body?.makeAsyncIterator()
        _ = try await pieces?.next()

        buffer.end(throwing: URLError(.timedOut))
        if isReadAgain {
            await #expect(throws: URLError(.timedOut)) { try await pieces?.next() }
        }
        (body, pieces) = (nil, nil)

        let reports = reports.withLock { $0 }
        #expect(reports.count == 1)
        #expect(reports.first?.hasPrefix("failed") == true)
        #expect(reports.first?.hasSuffix(", 1, false") == true)
    }
}
