import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct APIRequestLoaderTests {
    let network = MockNetwork()

    private func loader(_ request: TextRequest = TextRequest()) -> APIRequestLoader<TextRequest> {
        APIRequestLoader(apiRequest: request, urlSession: network.urlSession)
    }

    @Test func givesTheResponseWithItsHeaders() async throws {
        network.stub(.get("/a"), .text("value").header("ETag", "\"1\""))

        let loader = loader()
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

        try await APIRequestLoader(apiRequest: Nothing(), urlSession: network.urlSession).load(())
        let bytes = APIRequestLoader(apiRequest: Bytes(), urlSession: network.urlSession)
        #expect(try await bytes.load(()).text == "[1, 2]")
        let numbers = APIRequestLoader(apiRequest: Numbers(), urlSession: network.urlSession)
        #expect(try await numbers.load(()) == [1, 2])
        #expect(try await numbers.response(for: ()).value == [1, 2])
    }

    @Test func namesTheStageThatFailed() async throws {
        struct Failing: APIRequest {
            let stage: APIRequestError.Stage
            func makeRequest(from data: Void) throws -> URLRequest {
                if stage == .makeRequest { throw TestError(number: 1) }
                return .test(stage == .transport ? "broken" : "a")
            }
            func validateResponse(data: Data, response: HTTPURLResponse) throws {
                if stage == .validate { throw TestError(number: 2) }
            }
            func parseResponse(data: Data) throws -> String { throw TestError(number: 3) }
        }
        network.stub(.get("/a"), .text("body"))
        network.stub(.get("/broken"), .error(.networkConnectionLost))

        for stage in APIRequestError.Stage.allCases {
            let loader = APIRequestLoader(
                apiRequest: Failing(stage: stage), urlSession: network.urlSession)
            let error = try #require(
                await #expect(throws: APIRequestError.self) { try await loader.load(()) })

            #expect(error.stage == stage)
            #expect(!error.isCancellation)
            #expect((error.request != nil) == (stage != .makeRequest))
            let hasAnswer = stage == .validate || stage == .parse
            #expect(error.statusCode == (hasAnswer ? 200 : nil))
            #expect(error.data?.text == (hasAnswer ? "body" : nil))
            switch stage {
            case .transport:
                #expect((error.underlying as? URLError)?.code == .networkConnectionLost)
            case .makeRequest: #expect(error.underlying as? TestError == TestError(number: 1))
            case .validate: #expect(error.underlying as? TestError == TestError(number: 2))
            case .parse: #expect(error.underlying as? TestError == TestError(number: 3))
            }
        }
    }
}

/// The talk's own form.
@Suite(.limited, .usesSockets) struct CompletionHandlerTests {
    let network = MockNetwork()

    @Test func failsBeforeItReturnsWhereNoRequestCanBeMade() {
        struct Impossible: APIRequest {
            func makeRequest(from data: Void) throws -> URLRequest { throw TestError() }
            func parseResponse(data: Data) throws -> String { "" }
        }
        let error = Locked<(any Error)?>(nil)

        APIRequestLoader(apiRequest: Impossible(), urlSession: network.urlSession)
            .loadAPIRequest(requestData: ()) { _, thrown in error.withLock { $0 = thrown } }
        #expect(error.withLock { $0 } is TestError)
        #expect(network.requests.isEmpty)
    }

    @Test(arguments: Transport.allCases)
    func handsOutTheOriginalError(_ transport: Transport) async throws {
        network.stub(.any, .error(.notConnectedToInternet))
        let (session, baseURL) = try transport.open(network)
        let loader = APIRequestLoader(
            apiRequest: TextRequest(baseURL: baseURL), urlSession: session)

        let error = await withCheckedContinuation { continuation in
            loader.loadAPIRequest(requestData: "/a") { _, error in
                continuation.resume(returning: error)
            }
        }

        #expect(error is URLError)
    }

    @Test func callsOnTheDelegateQueue() async throws {
        network.stub(.any, .text("value"))
        let queue = OperationQueue()
        let session = URLSession(
            configuration: network.configuration, delegate: nil, delegateQueue: queue)
        let loader = APIRequestLoader(apiRequest: TextRequest(), urlSession: session)

        let isOnQueue = await withCheckedContinuation { continuation in
            loader.loadAPIRequest(requestData: "/a") { _, _ in
                continuation.resume(returning: OperationQueue.current === queue)
            }
        }

        #expect(isOnQueue)
    }

    @Test func survivesTheLoaderAndTheTask() async throws {
        network.stub(.any, .text("value"))

        let value = await withCheckedContinuation { continuation in
            APIRequestLoader(apiRequest: TextRequest(), urlSession: network.urlSession)
                .loadAPIRequest(requestData: "/a") { value, _ in
                    continuation.resume(returning: value)
                }
        }

        #expect(value == "value")
    }

    /// It may be a class that is not `Sendable`.
    @Test func parsesOneAnswerAtATime() async throws {
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
        let loader = APIRequestLoader(apiRequest: TextRequest(), urlSession: network.urlSession)

        let error = await withCheckedContinuation { continuation in
            loader.loadAPIRequest(requestData: "/a") { _, error in
                continuation.resume(returning: error)
            }
            .cancel()
        }

        #expect((error as? URLError)?.code == .cancelled)
    }
}
