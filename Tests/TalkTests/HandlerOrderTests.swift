import TestSupport
import XCTest

@testable import APIKitLite
@testable import APIKitLiteTesting

/// Handlers run one at a time, in the order of their requests. A request belongs to the handler
/// that was set when its object was made.
final class HandlerOrderTests: HandlerTestCase {
    func testACounterNeedsNoLock() async throws {
        var count = 0
        var isInside = false
        MockURLProtocol.requestHandler = { _ in
            XCTAssertFalse(isInside, "Two calls overlap.")
            isInside = true
            let next = count + 1
            if next.isMultiple(of: 10) { sched_yield() }
            count = next
            isInside = false
            return response("\(next)")
        }
        let sessions = [makeSession(), makeSession()]

        let responses = await withTaskGroup(of: String.self) { group in
            for number in 0..<200 {
                group.addTask { await outcome(.test("\(number)"), over: sessions[number % 2]) }
            }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }

        XCTAssertEqual(responses, Set((1...200).map { "\($0)" }))
        XCTAssertEqual(MockURLProtocol.requests.count, 200)
    }

    func testAHandlerReadsSetsAndClearsItself() async {
        let session = makeSession()
        MockURLProtocol.requestHandler = { _ in
            XCTAssertNotNil(MockURLProtocol.requestHandler)
            MockURLProtocol.requestHandler = { _ in
                MockURLProtocol.requestHandler = nil
                XCTAssertNil(MockURLProtocol.requestHandler)
                return response("second")
            }
            return response("first")
        }

        var outcomes: [String] = []
        for path in ["1", "2", "3"] { outcomes.append(await outcome(.test(path), over: session)) }

        XCTAssertEqual(outcomes, ["first", "second", "noHandler"])
        XCTAssertEqual(errors.texts.count, 1)
    }

    func testAClearedHandlerHoldsUpNobody() async {
        let session = makeSession()
        let (blocked, release) = await startBlockedLoad(over: session)
        async let first = outcome(.test("1"), over: session)
        async let second = outcome(.test("2"), over: session)
        await waitUntil { MockURLProtocol.requests.count == 3 }

        MockURLProtocol.requestHandler = nil
        let outcomes = await [first, second, outcome(.test("3"), over: session)]
        XCTAssertEqual(outcomes, ["handlerCleared", "handlerCleared", "noHandler"])
        XCTAssertEqual(errors.texts.count, 3)

        // The cleared handler still runs.
        release.signal()
        let old = await blocked.value
        XCTAssertEqual(old, "old")
    }

    func testACancelledRequestIsNotHandled() async {
        let session = makeSession()
        let paths = Locked<[String]>([])
        let (entered, release) = (Locked(false), DispatchSemaphore(value: 0))
        MockURLProtocol.requestHandler = { request in
            paths.withLock { $0.append(request.url?.path ?? "") }
            if request.url?.path == "/1" {
                entered.withLock { $0 = true }
                release.wait()
            }
            return response("x")
        }
        async let first = outcome(.test("1"), over: session)
        await waitUntil { entered.withLock { $0 } }
        // Without a session, which would cancel the handler's task a moment later.
        let core = StaticHandler.current.core
        let client = DirectClient(core, .body, true)
        let second = ClientRequest(to: core, from: client) { _ in }
        second.send(.test("2"))
        // Work begins in order, so that of the second request can be cancelled now.
        let hasBegun = Gate()
        core.handlers.start { hasBegun.open() }
        await hasBegun.wait()

        second.cancelWork()
        release.signal()
        let outcomes = await [first, outcome(.test("3"), over: session)]
        withExtendedLifetime(client) {}

        XCTAssertEqual(outcomes, ["x", "x"])
        XCTAssertEqual(paths.withLock { $0 }, ["/1", "/3"])
    }

    func testAReplacedHandlerRespondsToTheRequestsThatBeganUnderIt() async {
        let session = makeSession()
        let (blocked, release) = await startBlockedLoad(over: session)
        async let first = outcome(.test("1"), over: session)
        await waitUntil { MockURLProtocol.requests.count == 2 }

        MockURLProtocol.requestHandler = { _ in response("new") }
        let new = await outcome(.test("2"), over: session)
        XCTAssertEqual(new, "new", "The old handler holds it up.")
        XCTAssertEqual(MockURLProtocol.requests.map(\.path), ["/2"])

        release.signal()
        release.signal()
        let old = await [blocked.value, first]
        XCTAssertEqual(old, ["old", "old"])
    }

    /// A test sets the handler of its next call while its last one is under way.
    func testNoRequestFailsBecauseItsHandlerIsReplaced() async {
        let session = makeSession()
        for _ in 1...80 {
            MockURLProtocol.requestHandler = { _ in response("first") }
            async let first = outcome(.test("1"), over: session)
            await Task.yield()
            MockURLProtocol.requestHandler = { _ in response("second") }

            let outcomes = await [first, outcome(.test("2"), over: session)]

            XCTAssert(["first", "second"].contains(outcomes[0]), outcomes[0])
            XCTAssertEqual(outcomes[1], "second")
        }
    }

    /// Trackers of leaks check it at the end of a test.
    func testAClearedHandlerKeepsNothingAliveAfterTheResponse() async {
        final class Captured {}
        for _ in 1...50 {
            weak var released: Captured?
            let ended = expectation(description: "ended")
            let task: URLSessionTask
            do {
                let captured = Captured()
                released = captured
                MockURLProtocol.requestHandler = { _ in
                    withExtendedLifetime(captured) { response("a") }
                }
                task = makeSession().dataTask(with: .test("a")) { _, _, _ in ended.fulfill() }
            }
            task.resume()
            await fulfillment(of: [ended], timeout: 900)
            MockURLProtocol.requestHandler = nil

            XCTAssertNil(released)
            withExtendedLifetime(task) {}
        }
    }

    #if canImport(FoundationNetworking)
    // In a session without a cache, Foundation on Linux makes the object inside `resume()`.
    // Elsewhere a request counts as made a moment later.
    func testAHandlerThatComesTooLateRespondsToNobody() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        configuration.urlCache = nil
        for number in 0..<100 {
            let isFirst = number.isMultiple(of: 2)
            MockURLProtocol.requestHandler = isFirst ? nil : { _ in response("first") }
            let ended = expectation(description: "ended")

            URLSession(configuration: configuration).dataTask(with: .test("a")) { data, _, error in
                let text = error.map { "\(originalError(of: $0))" } ?? data?.text
                let isExpected = isFirst ? text?.contains("no handler is set") : text == "first"
                XCTAssert(isExpected == true, "\(error as Any)")
                ended.fulfill()
            }.resume()
            MockURLProtocol.requestHandler = { _ in response("late") }

            wait(for: [ended], timeout: 900)
            XCTAssertEqual(MockURLProtocol.requests.count, 0, "It came for the one before.")
        }
    }
    #endif
}
