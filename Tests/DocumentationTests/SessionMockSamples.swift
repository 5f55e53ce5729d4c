import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

// The samples of ComingFromAnotherMock.md about mocks of a session. These protocols are the apps'.

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

protocol NetworkSession {
    func loadData(from url: URL, completion: @escaping (Data?, (any Error)?) -> Void)
}

protocol AsyncSession: Sendable {
    func data(for request: URLRequest) async throws -> (Data, URLResponse)
}

protocol DataTaskSession {
    func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask
}

extension URLSession: DataTaskSession {}

// The mocks.

final class URLSessionMock: @unchecked Sendable {  // A test sets it before it loads.
    var data: Data?
    var error: (any Error)?

    private(set) lazy var session = MockNetwork { [unowned self] _ in
        if let error { throw error }
        return (HTTPURLResponse(), data)
    }.urlSession
}

extension MockURLSession: AsyncSession {
    func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await exchange(request)
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

extension MockURLSession: NetworkSession {
    func loadData(from url: URL, completion: @escaping (Data?, (any Error)?) -> Void) {
        dataTask(with: url) { data, _, error in completion(data, error) }.resume()
    }
}

@Suite(.limited) struct SessionMockSamples {
    private let data = Data("[]".utf8)
    private let request = URLRequest.test("users")

    @Test func aURLSessionInPlaceOfAMock() async throws {
        let mock = URLSessionMock()
        let session: any DataTaskSession = mock.session

        mock.data = data
        let text = await withCheckedContinuation { continuation in
            let task = session.dataTask(with: request) { data, _, _ in
                continuation.resume(returning: data?.text)
            }
            task.resume()
        }
        #expect(text == "[]")
        mock.error = TestError(number: 7)
        await #expect(throws: TestError(number: 7)) { try await mock.session.exchange(request) }
    }

    @Test func aTaskThatCompletesInsideResume() {
        let session: any SessionProtocol = MockURLSession(
            response: (data, HTTPURLResponse(), nil))
        var texts: [String?] = []

        session.dataTask(with: request) { data, _, _ in texts.append(data?.text) }.resume()

        #expect(texts == ["[]"])
    }

    @Test func completionWithoutAResponse() {
        let session: any NetworkSession = MockURLSession(response: (data, nil, nil))
        var texts: [String?] = []

        session.loadData(from: request.url!) { data, _ in texts.append(data?.text) }

        #expect(texts == ["[]"])
    }

    @Test func aProtocolWithAsyncFunctions() async throws {
        let network = MockNetwork()
        let session: any AsyncSession = MockURLSession(network)

        network.stub(.get("/users"), .data(data))
        #expect(try await session.data(for: request).0 == data)
        network.stub(.get("/users"), .error(TestError(number: 7)))
        await #expect(throws: TestError.self) { try await session.data(for: request) }
        #expect(network.requests.map(\.path) == ["/users", "/users"])
    }
}
