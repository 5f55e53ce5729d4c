import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// Handlers run beside the loading thread and beside each other.
@Suite(.limited, .usesSockets) struct HandlerTests {
    enum Local {
        @TaskLocal static var name = "none"
    }

    private static let ways = [Transport.urlProtocol, .direct]

    @Test(arguments: ways)
    func blockingOnesDelayNobody(_ transport: Transport) async throws {
        let release = DispatchSemaphore(value: 0)
        let started = Locked(0)
        let allStarted = Gate()
        let blocking = MockNetwork { _ in
            let count = started.withLock { count in
                count += 1
                return count
            }
            if count == 100 { allStarted.open() }
            release.blockUntilSignalled()
            return (HTTPURLResponse(), Data("blocked".utf8))
        }
        let quick = MockNetwork { _ in (HTTPURLResponse(), Data("quick".utf8)) }

        let session = try transport.open(blocking).session
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask { try await session.exchange(.test("a")).0.text }
            }
            await allStarted.wait()
            let (data, _) = try await transport.open(quick).session.exchange(.test("a"))
            #expect(data.text == "quick")
            for _ in 0..<100 { release.signal() }
            for try await text in group { #expect(text == "blocked") }
        }
    }

    @Test(arguments: ways)
    func aBlockingOneHoldsNoTimeout(_ transport: Transport) async throws {
        let clock = MockClock()
        let release = DispatchSemaphore(value: 0)
        let network = MockNetwork { _ in
            release.blockUntilSignalled()
            return (HTTPURLResponse(), nil)
        }
        let session = try transport.open(network).session
        let load = Task {
            await session.timingOut(after: .seconds(1), clock: clock).outcome(of: .test("a"))
        }
        await network.waitForRequests()
        await yieldWhile { clock.pendingDeadlines != [.seconds(1)] }

        await clock.advance(by: .seconds(1))

        #expect(await load.value == .error(.timedOut))
        release.signal()
    }

    /// The thread of one call may start the handler of another. No call is lost or started twice.
    @Test func startOnceFromAnyThread() async {
        let handlers = Handlers()
        let (threads, count) = (8, 2_000)
        let state = Locked((starts: Array(repeating: 0, count: count), ended: 0))
        let allEnded = Gate()

        // Not `concurrentPerform`: the handlers occupy its threads.
        for first in 0..<threads {
            Thread.detachNewThread {
                for number in stride(from: first, to: count, by: threads) {
                    handlers.start {
                        let ended = state.withLock { state in
                            state.starts[number] += 1
                            state.ended += 1
                            return state.ended
                        }
                        if ended == count { allEnded.open() }
                    }
                }
            }
        }
        await allEnded.wait()

        #expect(state.withLock { $0.starts }.allSatisfy { $0 == 1 })
    }

    @Test func mayUseURLSession() async throws {
        let inner = MockNetwork()
        inner.stub(.any, .text("inner"))
        let outer = MockNetwork { request in
            // A handler starts and cancels a task of another session.
            inner.urlSession.dataTask(with: request).cancel()
            let (data, response) = try await inner.urlSession.exchange(request)
            return (response, data)
        }

        let (data, _) = try await outer.urlSession.exchange(.test("a"))

        #expect(data.text == "inner")
    }

    @Test func mayUseURLSessionWhileCancelled() async throws {
        let arrived = Gate()
        let innerEnded = Gate()
        let inner = MockNetwork()
        inner.stub(.any, .hanging)
        let outer = MockNetwork { request in
            arrived.open()
            defer { innerEnded.open() }
            let (data, response) = try await inner.urlSession.exchange(request)
            return (response, data)
        }

        let task = Task { try await outer.urlSession.exchange(.test("a")) }
        await arrived.wait()
        task.cancel()
        await #expect(throws: URLError.self) { try await task.value }
        await innerEnded.wait()

        #expect(outer.requests.map(\.wasCancelled) == [true])
    }

    @Test(arguments: ways)
    func seeTheTaskLocalsOfTheirNetwork(_ transport: Transport) async throws {
        let network = Local.$name.withValue("maker") {
            MockNetwork { _ in (HTTPURLResponse(), Data(Local.name.utf8)) }
        }
        let session = try transport.open(network).session

        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await Local.$name.withValue("caller") {
                        let (data, _) = try await session.exchange(.test("a"))
                        #expect(Local.name == "caller")
                        return data.text
                    }
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }

        #expect(names == ["maker"])
    }

    @Test func giveTheirOwnResponseObject() async throws {
        let response = HTTPURLResponse(
            url: URL(string: "https://elsewhere.example/x")!, statusCode: 203, httpVersion: nil,
            headerFields: ["X-Mine": "yes"])!
        let network = MockNetwork { _ in (response, nil) }

        let (data, received) = try await network.urlSession.exchange(.test("a"))
        #expect(received === response)
        #expect(data.isEmpty)
        let (_, direct) = try await network.exchange(.test("a"))
        #expect(direct === response)
    }
}

extension DispatchSemaphore {
    /// Blocks the thread, which async code must not, unless that is the point.
    fileprivate func blockUntilSignalled() {
        wait()
    }
}
