import APIKitLite
import APIKitLiteTesting
import TestSupport

// The samples of Migrate.md about mocks of a session. These protocols are the apps'.

typealias Completion = (Data?, URLResponse?, (any Error)?) -> Void

protocol TaskProtocol {
    func resume()
    func cancel()
}

protocol SessionProtocol {
    func dataTask(
        with request: URLRequest, completionHandler: @escaping Completion
    ) -> any TaskProtocol
}

protocol DataTaskSession {
    func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask
}

extension URLSession: DataTaskSession {}

protocol AsyncSession: Sendable {
    func data(for request: URLRequest) async throws -> (Data, URLResponse)
}

// The mocks.

final class URLSessionMock: @unchecked Sendable {  // A test sets it before it loads.
    var data: Data?
    var error: (any Error)?

    private(set) lazy var session = MockNetwork { [unowned self] _ in
        if let error { throw error }
        return (HTTPURLResponse(), data)
    }.urlSession
}

extension MockNetwork: AsyncSession {
    func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await data(for: request, progress: nil)  // the library's
    }
}

extension MockURLSessionDataTask: TaskProtocol {}

extension MockURLSession: SessionProtocol {
    func dataTask(
        with request: URLRequest, completionHandler: @escaping Completion
    ) -> any TaskProtocol {
        let task: MockURLSessionDataTask = dataTask(
            with: request, completionHandler: completionHandler)
        return task
    }
}

@Suite(.limited, .usesSockets) struct SessionMockSamples {
    private let data = Data("[]".utf8)
    private let request = URLRequest.test("users")

    @Test func aURLSessionInPlaceOfAMock() async throws {
        let mock = URLSessionMock()

        mock.data = data
        #expect(try await mock.session.exchange(request).0 == data)
        mock.error = TestError(number: 7)
        await #expect(throws: TestError(number: 7)) { try await mock.session.exchange(request) }
    }

    @Test func aTaskThatCompletesInsideResume() {
        let session: any SessionProtocol = MockURLSession(response: (data, HTTPURLResponse(), nil))
        var texts: [String?] = []

        session.dataTask(with: request) { data, _, _ in texts.append(data?.text) }.resume()

        #expect(texts == ["[]"])
    }

    @Test func aProtocolThatReturnsFoundationsTasks() async {
        let network = MockNetwork()
        network.stub(.get("/users"), .data(data))
        let session: any DataTaskSession = network.urlSession

        let text = await withCheckedContinuation { continuation in
            session.dataTask(with: request) { data, _, _ in
                continuation.resume(returning: data?.text)
            }.resume()
        }

        #expect(text == "[]")
    }

    @Test func aProtocolWithAsyncFunctions() async throws {
        let network = MockNetwork()
        network.stub(.get("/users"), .data(data), .error(TestError(number: 7)))
        let session: any AsyncSession = network

        #expect(try await session.data(for: request).0 == data)
        await #expect(throws: TestError.self) { try await session.data(for: request) }
    }
}
