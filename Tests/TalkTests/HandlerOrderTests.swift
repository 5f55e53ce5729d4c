import APIKitLite
import APIKitLiteTesting
import Foundation
import XCTest

/// Handlers run one at a time, in the order of their requests.
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
            return answer("\(next)")
        }
        let sessions = [makeSession(), makeSession()]

        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<1_000 {
                let request = URLRequest(url: url("/\(number)"))
                group.addTask {
                    let (data, _) = try await sessions[number % 2].exchange(request)
                    return String(decoding: data, as: UTF8.self)
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }

        XCTAssertEqual(count, 1_000)
        XCTAssertEqual(answers, Set((1...1_000).map { "\($0)" }))
        XCTAssertEqual(MockURLProtocol.requests.count, 1_000)
    }

    func testAHandlerReadsSetsAndClearsItself() {
        let session = makeSession()
        MockURLProtocol.requestHandler = { _ in
            XCTAssertNotNil(MockURLProtocol.requestHandler)
            MockURLProtocol.requestHandler = { _ in
                MockURLProtocol.requestHandler = nil
                XCTAssertNil(MockURLProtocol.requestHandler)
                return answer("second")
            }
            return answer("first")
        }

        let loads = ["/1", "/2", "/3"].map { path in
            let load = Load(url(path), over: session)
            wait(for: [load.ended], timeout: 10)
            return load
        }

        XCTAssertEqual(loads[0].text, "first")
        XCTAssertEqual(loads[1].text, "second")
        XCTAssertEqual(loads[2].reason, .noHandler)
    }

    func testAHandlerMakesARequestThatAnotherAnswers() {
        let session = makeSession()
        let inner = url("/inner")
        MockURLProtocol.requestHandler = { _ in
            MockURLProtocol.requestHandler = { _ in answer("inner") }
            let load = Load(inner, over: session)
            let waiter = XCTWaiter().wait(for: [load.ended], timeout: 10)
            XCTAssertEqual(waiter, .completed)
            return answer("outer and \(load.text ?? "nothing")")
        }

        let outer = Load(url("/outer"), over: session)
        wait(for: [outer.ended], timeout: 20)

        XCTAssertEqual(outer.text, "outer and inner")
    }

    func testAReplacedHandlerHoldsUpNobody() {
        let session = makeSession()
        let hasEntered = DispatchSemaphore(value: 0)
        let mayLeave = DispatchSemaphore(value: 0)
        MockURLProtocol.requestHandler = { _ in
            hasEntered.signal()
            mayLeave.wait()
            return answer("old")
        }
        let blocked = Load(url("/blocked"), over: session)
        XCTAssertEqual(hasEntered.wait(timeout: .now() + 10), .success)
        let waiting = (1...3).map { Load(url("/waiting/\($0)"), over: session) }
        waitUntil("all requests are in the journal") { MockURLProtocol.requests.count == 4 }

        MockURLProtocol.requestHandler = { _ in answer("new") }
        wait(for: waiting.map(\.ended), timeout: 10)
        let new = Load(url("/new"), over: session)
        wait(for: [new.ended], timeout: 10)

        XCTAssertEqual(
            waiting.map(\.reason), [.handlerReplaced, .handlerReplaced, .handlerReplaced])
        XCTAssertEqual(new.text, "new")
        XCTAssertNil(blocked.text, "The old handler still runs.")

        mayLeave.signal()
        wait(for: [blocked.ended], timeout: 10)
        XCTAssertEqual(blocked.text, "old")
    }
}
