import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct HandlerTests {
    enum Local { @TaskLocal static var name = "none" }

    private static let ways = [Transport.urlProtocol, .direct]

    @Test(arguments: ways)
    func blockingOnesDelayNobody(_ transport: Transport) async throws {
        let release = DispatchSemaphore(value: 0)
        let started = Recorder<Void>()
        let blocking = MockNetwork { _ in
            started.append(())
            release.blockUntilSignalled()
            return (HTTPURLResponse(), Data("blocked".utf8))
        }
        let quick = MockNetwork { _ in (HTTPURLResponse(), Data("quick".utf8)) }

        let session = try transport.open(blocking).session
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await session.exchange(.test("a")).0.text } }
            var count = 0
            _ = await started.events { _ in
                count += 1
                return count == 100
            }
            #expect(try await TestClient(transport, quick).load() == "quick")
            for _ in 0..<100 { release.signal() }
            for try await text in group { #expect(text == "blocked") }
        }
    }

    @Test func startOnceFromAnyThread() async {
        let handlers = Handlers()
        let (threads, count) = (8, 2_000)
        let starts = Recorder<Int>()

        // Not `concurrentPerform`: the handlers occupy its threads.
        for first in 0..<threads {
            Thread.detachNewThread {
                for number in stride(from: first, to: count, by: threads) {
                    handlers.start { starts.append(number) }
                }
            }
        }
        var rest = count
        let numbers = await starts.events { _ in
            rest -= 1
            return rest == 0
        }

        #expect(Set(numbers).count == count)
    }

    @Test func mayUseURLSession() async throws {
        let inner = MockNetwork(.text("inner"))
        let outer = MockNetwork { request in
            // A handler starts and cancels a task of another session.
            inner.urlSession.dataTask(with: request).cancel()
            let (data, response) = try await inner.urlSession.exchange(request)
            return (response, data)
        }

        #expect(try await outer.urlSession.exchange(.test("a")).0.text == "inner")
    }

    @Test func mayUseURLSessionWhileCancelled() async throws {
        let (arrived, innerEnded) = (Gate(), Gate())
        let inner = MockNetwork(.hanging)
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

        let loads = (0..<100).map { _ in
            Local.$name.withValue("caller") {
                Task { [try await session.exchange(.test("a")).0.text, Local.name] }
            }
        }

        for load in loads { #expect(try await load.value == ["maker", "caller"]) }
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

    @Test func mayGiveAResponseWithoutArguments() { #expect(HTTPURLResponse().statusCode == 200) }

    /// A response whose URL has no host gets the URL of its request.
    @Test func giveAResponseWithoutAHost() async throws {
        let response = HTTPURLResponse(
            url: URL(string: "x")!, statusCode: 203, httpVersion: nil,
            headerFields: ["X-Mine": "yes"])!
        let network = MockNetwork { _ in (response, nil) }

        let (_, received) = try await network.exchange(.test("a"))

        #expect(received.url == URLRequest.test("a").url)
        #expect(received.statusCode == 203)
        #expect(received.value(forHTTPHeaderField: "X-Mine") == "yes")
    }

    @Test(arguments: ways, [false, true])
    func aRequestEndsAlthoughItsHandlerIgnoresTheCancellation(
        _ transport: Transport, asStub: Bool
    ) async throws {
        let (mayRespond, network) = (Gate(), MockNetwork())
        if asStub {
            network.stub(.any) { _ in
                await Task { await mayRespond.wait() }.value
                return .text("late")
            }
        } else {
            network.requestHandler = { _ in
                await Task { await mayRespond.wait() }.value
                return (HTTPURLResponse(), nil)
            }
        }
        let session = try transport.open(network).session
        let load = Task { await session.outcome(of: .test("a")) }
        await network.waitForRequests()

        load.cancel()

        #expect(await load.value == .error(.cancelled))
        #expect(network.requests.map(\.wasCancelled) == [true])
        mayRespond.open()
    }
}

extension DispatchSemaphore {
    /// Blocks the thread, which async code must not, unless that is the point.
    func blockUntilSignalled() { wait() }
}
