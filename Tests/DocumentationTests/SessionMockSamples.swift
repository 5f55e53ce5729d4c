import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

// The samples of ComingFromYourOwnMock.md about mocks of a session. These protocols are the apps'.

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

func mockSession(
    data: Data?, response: HTTPURLResponse, error: (any Error)? = nil
) -> URLSession {
    let network = MockNetwork { _ in
        if let error { throw error }
        return (response, data)
    }
    return network.urlSession
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

final class NextSession: SessionProtocol {
    var nextData: Data?
    var nextError: (any Error)?

    func dataTask(
        with request: URLRequest, completionHandler: @escaping Completion
    ) -> any TaskProtocol {
        let session: any SessionProtocol = MockURLSession(
            response: (nextData, nil, nextError))
        return session.dataTask(with: request, completionHandler: completionHandler)
    }
}

@Suite(.limited) struct SessionMockSamples {
    private let data = Data("[]".utf8)
    private let request = URLRequest.test("users")

    @Test func aURLSessionInPlaceOfAMock() async throws {
        let session: any DataTaskSession = mockSession(data: data, response: HTTPURLResponse())

        let text = await withCheckedContinuation { continuation in
            let task = session.dataTask(with: request) { data, _, _ in
                continuation.resume(returning: data?.text)
            }
            task.resume()
        }
        #expect(text == "[]")

        let failing = mockSession(
            data: nil, response: HTTPURLResponse(), error: TestError(number: 7))
        await #expect(throws: TestError.self) { try await failing.exchange(request) }
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

    @Test func propertiesThatATestSetsLater() {
        let session = NextSession()
        var texts: [String?] = []
        var errors: [TestError?] = []

        session.nextData = data
        session.dataTask(with: request) { data, _, _ in texts.append(data?.text) }.resume()
        session.nextError = TestError(number: 7)
        session.dataTask(with: request) { _, _, error in errors.append(error as? TestError) }
            .resume()

        #expect(texts == ["[]"])
        #expect(errors == [TestError(number: 7)])
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
