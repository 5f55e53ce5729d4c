import TestSupport

@Suite(.limited, .usesSockets) struct RaceTests {
    @Test(arguments: [false, true])
    func respondsToATaskThatIsSuspendedAndResumedAtOnce(hasCache: Bool) async {
        for _ in 0..<50 {
            let arrived = Gate()
            let mayRespond = Gate()
            let network = MockNetwork { _ in
                arrived.open()
                await mayRespond.wait()
                return (HTTPURLResponse(), Data("response".utf8))
            }
            let configuration = network.configuration
            if hasCache { configuration.urlCache = .shared }
            let load = DataLoad(.test("a"), over: URLSession(configuration: configuration))
            load.task.resume()
            await arrived.wait()

            load.task.suspend()
            load.task.resume()
            mayRespond.open()

            #expect(await load.result() == .body("response"))
        }
    }

    @Test func sendsNothingForATaskThatIsCancelledBeforeItIsResumed() async throws {
        let network = MockNetwork(.text("value"))

        let load = DataLoad(.test("a"), over: network.urlSession)
        load.task.cancel()

        #expect(await load.result() == .error(.cancelled))
        #expect(network.requests.isEmpty)
    }

    @Test func cancelsTheHandlerThatARedirectLedTo() async {
        let ended = Gate()
        let network = MockNetwork()
        network.stub(.get("/old"), .redirect(to: "/new"))
        network.stub(.get("/new")) { _ in
            defer { ended.open() }
            return try await waitForCancellation()
        }

        let load = DataLoad(.test("old"), over: network.urlSession)
        load.task.resume()
        await network.waitForRequests(2)
        load.task.cancel()

        #expect(await load.result() == .error(.cancelled))
        await ended.wait()
        #expect(network.requests.map(\.wasCancelled) == [false, true])
    }

    @Test func followsNoRedirectAfterACancellation() async throws {
        final class Undecided: NSObject, URLSessionTaskDelegate, Sendable {
            typealias Decision = @Sendable (URLRequest?) -> Void
            let questions = Recorder<(URLRequest, Decision)>()
            let end = Gate()

            func urlSession(
                _ session: URLSession, task: URLSessionTask,
                willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
                completionHandler: @escaping Decision
            ) { questions.append((newRequest, completionHandler)) }

            func urlSession(
                _ session: URLSession, task: URLSessionTask,
                didCompleteWithError error: (any Error)?
            ) { end.open() }
        }
        let network = MockNetwork()
        network.stub(.get("/old"), .redirect(to: "/new"))
        let new = network.stub(.get("/new"), .text("new"))
        let client = Undecided()
        let session = network.urlSession(delegate: client)

        let task = session.dataTask(with: .test("old"))
        task.resume()
        let (next, decide) = try #require(await client.questions.events { _ in true }.first)
        task.cancel()
        await client.end.wait()
        decide(next)
        decide(next)

        #expect(new.callCount == 0)
        #expect(network.requests.map(\.wasCancelled) == [true])
        session.finishTasksAndInvalidate()
    }

    @Test func aMockTaskThatIsCancelledWhileItStartsCompletesOnce() async {
        let session = MockURLSession()
        let calls = Locked(0)
        for _ in 0..<200 {
            let task = session.dataTask(with: .test("a")) { _, _, _ in calls.withLock { $0 += 1 } }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { task.resume() }
                group.addTask { task.cancel() }
            }
        }

        #expect(calls.withLock { $0 } == 200)
    }
}

/// A data task without a loader around it, and what its completion handler gets.
private struct DataLoad {
    let task: URLSessionDataTask
    private let outcome: Promise<ExchangeOutcome>

    init(_ request: URLRequest, over session: URLSession) {
        let outcome = Promise<ExchangeOutcome>()
        self.outcome = outcome
        task = session.dataTask(with: request) { data, _, error in
            outcome.resolve(
                with: .success(
                    data.map { .body($0.text) } ?? .error((error as? URLError)?.code ?? .unknown)))
        }
    }

    func result() async -> ExchangeOutcome? { try? await outcome.value() }
}
