import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct VerificationTests {
    let network = MockNetwork()

    @Test func checksHowOftenAStubIsUsed() async {
        let rows: [(Stub.Times, Int, Int)] = [
            (Stub.Times.any, 0, 0), (.any, 3, 0), (.once, 0, 1), (.once, 1, 0), (.exactly(2), 1, 1),
            (.exactly(2), 2, 0), (.atLeast(1), 0, 1), (.atLeast(1), 9, 0), (.atLeast(3), 2, 1),
            (.never, 0, 0), (.exactly(0), 0, 0),
        ]
        await forEachRow(rows) { row, comment in
            let (times, count, findings) = row
            let network = MockNetwork()
            let stub = network.stub(.any, .text("x"), times: times)

            for _ in 0..<count { _ = try await network.urlSession.exchange(.test("a")) }

            #expect(stub.callCount == count, comment)
            guard findings > 0 else { return try network.verify() }
            let failure = #expect(throws: VerificationError.self, comment) { try network.verify() }
            #expect(failure?.findings.count == findings, comment)
            #expect(failure?.description.contains("VerificationTests.swift:") == true, comment)
        }
    }

    @Test func verifiesAtTheEndOfABody() async throws {
        let value = try await withMockNetwork { network in
            network.stub(.any, .text("x"))
            return try await network.urlSession.exchange(.test("a")).0.text
        }
        #expect(value == "x")

        let unused = await #expect(throws: VerificationError.self) {
            try await withMockNetwork { network in _ = network.stub(.any, .text("x")) }
        }
        #expect(unused?.bodyError == nil)

        let both = await #expect(throws: VerificationError.self) {
            try await withMockNetwork { network in
                network.stub(.any, .text("x"))
                throw TestError(number: 3)
            }
        }
        #expect(both?.bodyError as? TestError == TestError(number: 3))
        #expect(both?.findings.count == 1)

        await #expect(throws: TestError.self) {
            try await withMockNetwork { _ in throw TestError() }
        }

        // The text is not repeated.
        await #expect(throws: MockError.self) {
            try await withMockNetwork { try await $0.urlSession.exchange(.test("a")).0.text }
        }
    }

    /// A response that does not end, and what `verify()` says; nil is a handler that does not
    /// return.
    private static let waits: [(response: MockResponse?, state: String, end: String)] = [
        (.text("x").held, "the STUB holds it", "Call stub.release(), or cancel the request,"),
        (
            .stream(), "the STUB keeps the stream of it open",
            "Call stub.finish(), or cancel the request,"
        ),
        (
            .stream { _ in _ = try await waitForCancellation() },
            "the writer of the STUB has not returned for it", "Await or cancel it"
        ),
        (.hanging, "the STUB never responds to it: its response is .hanging", "Await or cancel it"),
        (nil, "the handler of the STUB has not returned for it", "Await or cancel it"),
    ]

    @Test(arguments: [Transport.urlProtocol, .direct])
    func namesTheRequestsThatSomebodyStillWaitsFor(_ transport: Transport) async {
        await forEachRow(Self.waits, named: \.state) { row, comment in
            let network = MockNetwork()
            let stub: Stub
            if let response = row.response {
                stub = network.stub(.get("/slow"), response, fileID: "A/B.swift", line: 7)
            } else {
                stub = network.stub(.get("/slow"), fileID: "A/B.swift", line: 7) { _ in
                    try await waitForCancellation()
                }
            }
            let session = try transport.open(network).session
            let load = Task { try await session.exchange(.test("slow")) }
            await stub.waitForRequests()

            let state = row.state.replacing(
                "STUB", with: "stub for method GET, path /slow (A/B.swift:7)")
            #expect(
                network.findings == [
                    "GET https://api.example.com/slow: \(state), and its client still waits. "
                        + "\(row.end) before the test ends."
                ], comment)
            load.cancel()
            _ = await load.result
            try network.verify()
        }
    }

    @Test(
        arguments: [
            (20, 0, nil), (21, 0, "and 1 more request without a response."),
            (100, 0, "and 80 more requests without a response."),
            (0, 100, "and 80 more stubs were used too rarely or too often."),
        ] as [(Int, Int, String?)])
    func keepsTheFirstTwentyOfManyFindings(
        _ requests: Int, _ stubs: Int, _ rest: String?
    ) async throws {
        for number in 0..<requests {
            let text = try await network.mockError(.test("a\(number)"))
            #expect(text.contains("/a\(number)"))
        }
        for number in 0..<stubs { network.stub(.get("/a\(number)"), .text("x")) }

        let findings = network.findings
        #expect(findings.count == (rest == nil ? 20 : 21))
        #expect(findings.dropFirst(19).first?.contains("/a19") == true)
        if let rest { #expect(findings.last == rest) }
    }

    @Test func theJournalNamesTheStubThatResponded() async throws {
        let all = network.stub(.any, .text("x"))
        let one = network.stub(.get("/one"), .text("y"))

        for path in ["one", "two"] { _ = try await network.urlSession.exchange(.test(path)) }
        _ = try? await MockNetwork().urlSession.exchange(.test("three"))

        #expect(network.requests.map { $0.stub == one.number } == [true, false])
        #expect(network.requests.map { $0.stub == all.number } == [false, true])
        #expect(one.requests.count == 1)
    }

    @Test func aRequestCancelledOnArrivalIsNotReported() async throws {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let network = MockNetwork(.hanging)
        let start = Gate()
        let load = Task {
            await start.wait()
            _ = try await network.exchange(.test("a"))
        }
        // At once is within the call that notes the request.
        let verification = Task(executorPreference: AtOnceExecutor()) {
            await network.waitForRequests()
            load.cancel()
            try network.verify()
        }
        start.open()

        try await verification.value
        _ = await load.result
        #expect(network.requests.map(\.wasCancelled) == [true])
    }
}
