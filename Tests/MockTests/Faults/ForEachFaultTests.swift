import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited) struct ForEachFaultTests {
    private struct User: Decodable, Sendable {
        var name: String
    }

    private static let sample = MockResponse.json(#"{"name": "Emma", "tags": ["a", null]}"#)

    @Test(.usesManySockets) func allTransportsAgree() async throws {
        var reports: [FaultReport] = []
        for transport in Transport.allCases {
            let report = try await forEachFault(in: Self.sample) { network in
                let client = try TestClient(transport, network)
                return try await client.session.load(client.request("users/42"), as: User.self)
            }
            reports.append(report)
        }

        let report = reports[0]
        #expect(reports.allSatisfy { $0 == report })
        #expect(report.faults == Fault.all(of: Self.sample))
        let results: [(Fault, LoadOutcome?)] = [
            (.noFault, .value), (.cancelledBefore, .error(.transport, isCancellation: true)),
            (.cancelledDuring, .error(.transport, isCancellation: true)), (.slow, .value),
            (.status(404), .error(.validate)), (.failing(afterBytes: 7), .error(.transport)),
            (.truncated(toBytes: 7), .error(.parse)), (.null(at: "$.name"), .error(.parse)),
            (.null(at: "$.tags"), .value), (.status(429, retryAfter: "120"), .error(.validate)),
            (.hanging, .error(.transport)), (.status(418), nil), (.failing(afterBytes: 99), nil),
            // Without its `Retry-After`, this is another fault.
            (.status(503), nil),
        ]
        for (fault, result) in results { #expect(report[fault] == result, "\(fault)") }
        #expect(
            "\(report)"
                == "117 faults: .transport 57, .parse 43, .validate 8, value 7, "
                + ".transport, cancelled 2")
    }

    /// The text of a failed expectation does not say in which run it failed.
    @Test func theBodyAndItsTasksKnowTheFault() async throws {
        let faults = Locked<Set<Fault>>([])
        let report = try await forEachFault(in: .text("hello")) { network in
            let fault = Fault.current
            _ = faults.withLock { $0.insert(fault) }
            network.stub(.any) { _ in
                #expect(Fault.current == fault)
                return .text("")
            }
            _ = try? await network.exchange(.test("a"))
        }

        #expect(faults.withLock { $0 } == Set([.noFault] + report.faults))
        #expect(Fault.current == .noFault)
    }

    /// A client may begin work that goes on when its own task is cancelled.
    @Test func aClientThatIgnoresItsCancellationGetsTheResponse() async throws {
        let report = try await forEachFault(in: .text("hello"), throwing: URLError.self) {
            network in
            _ = try await Task { try await network.exchange(.test("a")) }.value
        }

        #expect(report[.cancelledBefore] == .value)
        #expect(report[.cancelledDuring] == .value)
    }

    @Test func aCancelledClientMayThrowACancellationError() async throws {
        let report = try await forEachFault(in: .text("hello")) { _ in
            try Task.checkCancellation()
        }

        #expect(report[.cancelledBefore] == .thrown("CancellationError"))
        let failure = await #expect(throws: FaultError.self) {
            try await forEachFault(in: .text("hello")) { _ in
                if Fault.current == .slow { throw CancellationError() }
            }
        }
        let text = try #require(failure).description
        #expect(text.hasPrefix("1 of \(report.faults.count) faults broke the client"))
        #expect(text.contains("\n  slow body: threw CancellationError"))
    }

    @Test func eachFaultHasANetworkOfItsOwn() async throws {
        let paths = Locked<[Int]>([])
        let report = try await forEachFault(in: .text("hello")) { network in
            _ = try? await network.exchange(.test("a"))
            _ = try? await network.exchange(.test("b", method: "POST"))
            paths.withLock { $0.append(network.requests.count) }
        }

        // A task that is cancelled before sends nothing, one that is cancelled during one request.
        let counts = paths.withLock { $0.sorted() }
        #expect(counts == [0, 1] + Array(repeating: 2, count: report.faults.count - 1))
    }

    @Test func manyRunAtOnceButNotAll() async throws {
        let running = Locked((now: 0, most: 0))
        try await forEachFault(in: Self.sample) { network in
            if Fault.current == .noFault { return }
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await yieldWhile { running.withLock { $0.most } < 16 }
            for _ in 0..<10 { await Task.yield() }
            running.withLock { $0.now -= 1 }
        }

        #expect(running.withLock { $0.most } == 16)
    }

    @Test func aClientThatWaitsReceivesTheClock() async throws {
        let report = try await forEachFault(in: .text("hello")) { network, clock in
            for _ in 0..<3 {
                let response = try? await network.exchange(.test("a")).1
                if response?.statusCode == 200 { return }
                try await clock.sleep(until: clock.now.advanced(by: .seconds(120)))
            }
            #expect(clock.now.offset >= .seconds(360))
        }

        #expect(report.faults.count == 43)
    }
}
