import APIKitLite
import APIKitLiteTesting
import TestSupport

@Suite(.limited, .usesSockets) struct APIRequestLoaderTests {
    let network = MockNetwork()

    private func loader<R: APIRequest>(_ request: R) -> APIRequestLoader<R> {
        APIRequestLoader(apiRequest: request, urlSession: network.urlSession)
    }

    @Test func givesTheResponseWithItsHeaders() async throws {
        network.stub(.get("/a"), .text("value").header("ETag", "\"1\""))

        let loader = loader(TextRequest())
        let response = try await loader.response(for: "/a")
        #expect(loader.urlSession as? URLSession === network.urlSession)
        #expect(response.value == "value")
        #expect(response.data.text == "value")
        #expect(response.response.value(forHTTPHeaderField: "etag") == "\"1\"")
    }

    @Test func takesTheSharedSessionInThreeForms() {
        let loaders = [
            APIRequestLoader(apiRequest: TextRequest()),
            APIRequestLoader(apiRequest: TextRequest(), urlSession: .shared),
            APIRequestLoader(apiRequest: TextRequest(), urlSession: URLSession.shared),
        ]
        #expect(loaders.allSatisfy { $0.urlSession as? URLSession === URLSession.shared })
    }

    @Test func decodesNothingBytesAndJSONByDefault() async throws {
        struct Nothing: APIRequest {
            typealias ResponseDataType = Void
            func makeRequest(from data: Void) throws -> URLRequest { .test("a") }
        }
        struct Bytes: APIRequest {
            typealias ResponseDataType = Data
            func makeRequest(from data: Void) throws -> URLRequest { .test("a") }
        }
        struct Numbers: APIRequest {
            typealias ResponseDataType = [Int]
            func makeRequest(from data: Void) throws -> URLRequest { .test("a") }
        }
        network.stub(.any, .json("[1, 2]"))

        try await loader(Nothing()).load(())
        #expect(try await loader(Bytes()).load(()).text == "[1, 2]")
        #expect(try await loader(Numbers()).load(()) == [1, 2])
        #expect(try await loader(Numbers()).response(for: ()).value == [1, 2])
    }
}

/// The talk's own form.
@Suite(.limited, .usesSockets) struct CompletionHandlerTests {
    let network = MockNetwork()

    /// What the completion handler of a load gets.
    private func result(
        over session: any HTTPSession, baseURL: URL = .api, cancels: Bool = false
    ) async -> (value: String?, error: (any Error)?, queue: OperationQueue?) {
        let request = TextRequest(baseURL: baseURL)
        return await withCheckedContinuation { continuation in
            let task = APIRequestLoader(apiRequest: request, urlSession: session)
                .loadAPIRequest(requestData: "/a") { value, error in
                    continuation.resume(returning: (value, error, .current))
                }
            if cancels { task.cancel() }
        }
    }

    /// The error may be the error of another load.
    @Test(arguments: [false, true])
    func failsBeforeItReturnsWhereNoRequestCanBeMade(isRethrown: Bool) {
        struct Impossible: APIRequest {
            let error: any Error
            func makeRequest(from data: Void) throws -> URLRequest { throw error }
            func parseResponse(data: Data) throws -> String { "" }
        }
        let other = APIRequestError(stage: .transport, underlying: TestError())
        let request = Impossible(error: isRethrown ? other : TestError())
        let error = Locked<(any Error)?>(nil)

        APIRequestLoader(apiRequest: request, urlSession: network.urlSession)
            .loadAPIRequest(requestData: ()) { _, thrown in error.withLock { $0 = thrown } }
        #expect(error.withLock { $0 } is TestError)
        #expect(network.requests.isEmpty)
    }

    @Test(arguments: Transport.allCases)
    func handsOutTheOriginalError(_ transport: Transport) async throws {
        network.stub(.any, .error(.notConnectedToInternet))
        let (session, baseURL) = try transport.open(network)
        #expect(await result(over: session, baseURL: baseURL).error is URLError)
    }

    @Test func callsOnTheDelegateQueue() async throws {
        network.stub(.any, .text("value"))
        let queue = OperationQueue()
        let session = URLSession(
            configuration: network.configuration, delegate: nil, delegateQueue: queue)
        // The caller has kept neither the loader nor the task.
        let result = await result(over: session)
        #expect(result.queue === queue)
        #expect(result.value == "value")
    }

    /// It may be a class that is not `Sendable`.
    @Test func parsesOneResponseAtATime() async throws {
        final class SharedRequest: APIRequest {
            let parsing = Locked((now: 0, most: 0))

            func makeRequest(from path: String) -> URLRequest { .test(path) }
            func parseResponse(data: Data) -> String {
                parsing.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                defer { parsing.withLock { $0.now -= 1 } }
                for _ in 0..<20 where parsing.withLock({ $0.now < 2 }) { sched_yield() }
                return data.text
            }
        }
        network.stub(.any, .text("value"))
        let request = SharedRequest()
        let loader = APIRequestLoader(apiRequest: request, urlSession: network as any HTTPSession)
        let values = Recorder<String?>()

        for _ in 0..<100 { loader.loadAPIRequest(requestData: "a") { v, _ in values.append(v) } }
        var count = 0
        let all = await values.events { _ in
            count += 1
            return count == 100
        }
        #expect(all == Array(repeating: "value", count: 100))
        #expect(request.parsing.withLock { $0.most } == 1)
    }

    @Test func isCancelledByTheTaskItReturns() async throws {
        network.stub(.any, .hanging)
        let error = await result(over: network.urlSession, cancels: true).error
        #expect((error as? URLError)?.code == .cancelled)
    }
}

@Suite(.limited, .usesSockets) struct CancellationTests {
    @Test func neverParsesWhenCancelledAfter() async throws {
        struct Parsing: APIRequest {
            let parses: Locked<Int>
            func makeRequest(from data: Void) throws -> URLRequest { .test("a") }
            func parseResponse(data: Data) throws -> Int { parses.next() }
        }
        let session = MockURLSession().intercepting { request, _ in
            withUnsafeCurrentTask { $0?.cancel() }
            return try makeResponse(to: request, "body")
        }
        let parses = Locked(0)
        let loader = APIRequestLoader(apiRequest: Parsing(parses: parses), urlSession: session)

        let error = await #expect(throws: APIRequestError.self) {
            try await Task { try await loader.load(()) }.value
        }
        #expect(error?.isCancellation == true)
        #expect(parses.withLock { $0 } == 0)
    }

    // As a rejected certificate is.
    @Test func isNotACancellationWhenNobodyCancelled() async throws {
        let network = MockNetwork()
        network.stub(.any, .error(.cancelled))
        let loader = APIRequestLoader(apiRequest: TextRequest(), urlSession: network.urlSession)

        let error = await #expect(throws: APIRequestError.self) { try await loader.load("/a") }
        #expect(error?.stage == .transport)
        #expect(error?.isCancellation == false)
    }

    /// The task is cancelled just as the request's own code throws.
    @Test(arguments: [APIRequestError.Stage.makeRequest, .validate, .parse])
    func isNotACancellationInAnotherStage(_ stage: APIRequestError.Stage) async throws {
        struct Cancelling: APIRequest {
            let stage: APIRequestError.Stage
            func makeRequest(from path: String) throws -> URLRequest {
                try end(.makeRequest)
                return .test(path)
            }
            func validateResponse(data: Data, response: HTTPURLResponse) throws {
                try end(.validate)
            }
            func parseResponse(data: Data) throws { try end(.parse) }
            private func end(_ current: APIRequestError.Stage) throws {
                guard current == stage else { return }
                withUnsafeCurrentTask { $0?.cancel() }
                throw TestError()
            }
        }
        let network = MockNetwork()
        network.stub(.any, .text("a"))
        let error = await #expect(throws: APIRequestError.self) {
            try await Task { try await network.load(Cancelling(stage: stage), "a") }.value
        }
        #expect(error?.stage == stage)
        #expect(error?.isCancellation == false)
    }

    @Test func leavesNoTaskAndNoLoaderBehind() async throws {
        final class Tracked: APIRequest, Sendable {
            let count: Locked<Int>
            init(_ count: Locked<Int>) {
                self.count = count
                count.withLock { $0 += 1 }
            }
            deinit { count.withLock { $0 -= 1 } }
            func makeRequest(from path: String) throws -> URLRequest { .test(path) }
            func parseResponse(data: Data) throws -> String { data.text }
        }
        let alive = Locked(0)
        let network = MockNetwork { request in (HTTPURLResponse(), Data("x".utf8)) }

        try await concurrently(16) { worker in
            for index in 0..<50 {
                let loader = APIRequestLoader(
                    apiRequest: Tracked(alive), urlSession: network.urlSession)
                let task = Task { try await loader.load("a") }
                if (index + worker).isMultiple(of: 3) {
                    await Task.yield()
                    task.cancel()
                }
                if case .failure(let error) = await task.result {
                    #expect((error as? APIRequestError)?.isCancellation == true)
                }
            }
        }
        func taskCount() async -> Int {
            await withCheckedContinuation { continuation in
                network.urlSession.getAllTasks { continuation.resume(returning: $0.count) }
            }
        }

        // A session forgets a task, and the task its closures, just after the load has returned.
        while await taskCount() > 0, !Task.isCancelled { await Task.yield() }
        await yieldWhile { alive.withLock { $0 } > 0 }
        #expect(alive.withLock { $0 } == 0)
    }
}
