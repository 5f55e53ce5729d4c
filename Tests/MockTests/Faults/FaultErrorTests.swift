import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

private let sample = MockResponse.json(#"{"name": "Emma", "tags": ["a", null]}"#)

/// What a client must not do under a fault, and what is said about it.
@Suite(.limited, .usesSockets) struct FaultErrorTests {
    private func failure(
        _ faults: [Fault]? = nil,
        watchdog: @escaping @Sendable (Fault) -> Watchdog = { _ in .oneSecond },
        _ body: @escaping FaultRun.Body
    ) async throws -> FaultError {
        let run = try FaultRun(
            sample, seed: 0x2a, sourceLocation: "App/UserTests.swift:12", faults: faults,
            watchdog: watchdog)
        return try await #require(throws: FaultError.self) { try await run.report(body) }
    }

    @Test func anotherErrorIsReported() async throws {
        let faults: [Fault] = [.slow, .error(.timedOut), .failing(afterBytes: 7, of: 37)]
        let failure = try await failure(faults) { network, _ in
            _ = try await MockURLSession(network).exchange(.test("a"))
        }

        #expect(failure.violations.map(\.fault) == Array(faults[1...]))
        #expect(failure.report[.slow] == .value)
        #expect(
            "\(failure)" == """
                2 of 3 faults broke the client (App/UserTests.swift:12):
                  URLError.timedOut: threw URLError.timedOut, not an APIRequestError
                  connection lost after 7 of 37 bytes: threw URLError.networkConnectionLost, not an APIRequestError
                A body must end within a second, in a value or an APIRequestError.
                The same faults again: forEachFault(in: sample, seed: 0x2a)
                """)
        try expectPage("Faults.md", toShow: "\(failure)")
        #expect(failure.errorDescription == "\(failure)")
    }

    @Test func tenAreShownAndTheRestCounted() async throws {
        let failure = try await failure { _, _ in throw TestError(number: 3) }

        #expect(failure.violations.count == 117)
        let lines = "\(failure)".split(separator: "\n")
        #expect(lines.count == 14)
        #expect(lines[0] == "117 of 117 faults broke the client (App/UserTests.swift:12):")
        #expect(
            lines[1]
                == "  URLError.timedOut: threw TestError(number: 3), not an APIRequestError")
        #expect(lines[11] == "  and 107 more")
    }

    @Test func oneOfEachKindIsShown() async throws {
        let failure = try await failure { network, _ in
            let (_, response) = try await MockURLSession(network).exchange(.test("a"))
            if response.statusCode == 503 { throw TestError(number: 503) }
        }

        let lines = "\(failure)".split(separator: "\n")
        #expect(lines.count == 14)
        #expect(
            lines[10]
                == "  503 with Retry-After: 120: threw TestError(number: 503), "
                + "not an APIRequestError")
    }

    @Test func aBodyThatHangsIsGivenUp() async throws {
        let hangs = Gate()
        // Time is up for the body that hangs, as soon as it does.
        let watchdog = { @Sendable (fault: Fault) in
            Watchdog { _ in fault == .emptyBody ? await hangs.wait() : await Gate().wait() }
        }
        let faults: [Fault] = [.slow, .emptyBody, .html(status: 200)]
        let failure = try await failure(faults, watchdog: watchdog) { network, _ in
            let data = try await MockURLSession(network).exchange(.test("a")).0
            guard data.isEmpty else { return }
            hangs.open()
            // Also one that cannot be cancelled.
            await Gate().wait()
        }

        #expect(failure.violations.map(\.fault) == [.emptyBody])
        #expect(
            failure.violations[0].event == """
                did not end within a second; GET https://api.example.com/a has had its answer \
                for a while (what waits by itself, as a retry does, needs the clock: \
                forEachFault { network, clock in … })
                """)
        #expect(failure.report[.slow] == .value)
        #expect(failure.skippedCount == 0)
    }

    @Test func aBodyThatBlocksItsThreadIsGivenUp() async throws {
        let hangs = Gate()
        let forever = DispatchSemaphore(value: 0)
        let watchdog = { @Sendable (fault: Fault) in Watchdog { _ in await hangs.wait() } }
        let failure = try await failure([.emptyBody], watchdog: watchdog) { _, _ in
            hangs.open()
            forever.waitHere()
        }
        forever.signal()

        #expect(failure.violations.first?.event == "did not end within a second; it sent nothing")
    }

    @Test func afterTenThatHangTheRestIsNotTried() async throws {
        let hanging = Locked(0)
        let all = Gate()
        let watchdog = { @Sendable (fault: Fault) in Watchdog { _ in await all.wait() } }
        let failure = try await failure(watchdog: watchdog) { _, _ in
            let count = hanging.withLock {
                $0 += 1
                return $0
            }
            if count == 16 { all.open() }
            await Gate().wait()
        }

        #expect(failure.violations.count >= 16)
        #expect(failure.violations.count + failure.skippedCount == 117)
        #expect(
            "\(failure)".contains(
                "So many hung that the last \(failure.skippedCount) faults were not tried."))
    }

    @Test func aCancelledRunEnds() async throws {
        let running = Gate()
        let run = try FaultRun(
            sample, seed: 1, sourceLocation: "",
            watchdog: { _ in Watchdog { _ in await Gate().wait() } })
        let task = Task {
            try await run.report { _, _ in
                running.open()
                await Gate().wait()
            }
        }
        await running.wait()
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [
        (MockResponse.json("{"), ".json(_:) was given text that is not JSON: {"),
        (.status(99), "99 is not an HTTP status: use 100...599."),
        (.text("x").chunked(by: 0), "chunked(by: 0): a piece has at least one byte."),
        (.hanging, "it is broken itself. Give the answer of a healthy server."),
        (.error(.timedOut), "it is broken itself. Give the answer of a healthy server."),
        (
            .text("x").failing(afterBytes: 0),
            "it is broken itself. Give the answer of a healthy server."
        ),
        (.text("x").held, "it is held, and nobody releases it."),
    ])
    func aBadSampleIsRefused(_ sample: MockResponse, _ reason: String) async {
        let error = await #expect(throws: MockError.self) {
            try await forEachFault(in: sample, fileID: "A/B.swift", line: 3) { _ in }
        }
        #expect(
            error?.description
                == "forEachFault(in:) cannot use its sample: \(reason) (A/B.swift:3)")
    }
}

extension DispatchSemaphore {
    /// What the compiler does not allow directly in a task, with reason.
    fileprivate func waitHere() { wait() }
}
