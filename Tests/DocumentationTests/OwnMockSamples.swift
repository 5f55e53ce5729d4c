import APIKitLite
import Foundation
import TestSupport
import XCTest

// The samples of ComingFromAnotherMock.md that set the static handler. Like a test of an app, this
// file does not import the mock.

// The loaders of apps.

extension APIRequestLoader where T: SendableMetatype {
    func loadAPIRequest(
        requestData: T.RequestDataType,
        completion: @escaping @Sendable (Result<T.ResponseDataType, any Error>) -> Void
    ) {
        loadAPIRequest(requestData: requestData) { value, error in
            completion(value.map { .success($0) } ?? .failure(error!))
        }
    }
}

protocol RequestWithoutInput: APIRequest where RequestDataType == Void {
    func makeRequest() throws -> URLRequest
}

extension RequestWithoutInput {
    func makeRequest(from data: Void) throws -> URLRequest { try makeRequest() }
}

final class OwnMockSamples: XCTestCase {
    private struct AllUsers: RequestWithoutInput {
        typealias ResponseDataType = [String]

        func makeRequest() throws -> URLRequest { .test("users") }
    }

    override func tearDown() {
        MockURLProtocol.requestHandler = nil
    }

    private func session(_ type: AnyClass = MockURLProtocol.self) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [type]
        return URLSession(configuration: configuration)
    }

    private func text(_ path: String, over session: URLSession) async throws -> String {
        try await session.exchange(.test(path)).0.text
    }

    func testStaticProperties() async throws {
        let session = session(StaticURLProtocol.self)
        defer { StaticURLProtocol.removeStub() }

        StaticURLProtocol.response = HTTPURLResponse(
            url: URLRequest.test("a").url!, statusCode: 404, httpVersion: nil, headerFields: nil)
        StaticURLProtocol.data = Data("a".utf8)
        let (data, response) = try await session.exchange(.test("a"))
        XCTAssertEqual(data.text, "a")
        XCTAssertEqual(response.statusCode, 404)

        StaticURLProtocol.response = nil
        do {
            _ = try await session.exchange(.test("a"))
            XCTFail("It loads.")
        } catch {
            XCTAssertEqual((error as? URLError)?.code, .badServerResponse)
        }

        StaticURLProtocol.error = TestError(number: 7)
        do {
            _ = try await session.exchange(.test("a"))
            XCTFail("It loads.")
        } catch {
            XCTAssertEqual(error as? TestError, TestError(number: 7))
        }
    }

    func testAQueue() async throws {
        MockURLProtocol.enqueue(
            (HTTPURLResponse(), Data("1".utf8)), (HTTPURLResponse(), Data("2".utf8)))

        let texts = [try await text("a", over: session()), try await text("a", over: session())]

        XCTAssertEqual(texts, ["1", "2"])
    }

    func testADictionary() async throws {
        MockURLProtocol.bodies = [URLRequest.test("a").url: Data("1".utf8)]

        let text = try await text("a", over: session())

        XCTAssertEqual(text, "1")
    }

    func testAnErrorWinsOverAHandlerThatIsSetLater() async throws {
        let session = session(FailingURLProtocol.self)
        FailingURLProtocol.error = TestError(number: 7)
        FailingURLProtocol.requestHandler = { _ in (HTTPURLResponse(), Data("a".utf8)) }

        for _ in 1...40 {
            do {
                _ = try await session.exchange(.test("a"))
                XCTFail("It loads.")
            } catch {
                XCTAssertEqual(error as? TestError, TestError(number: 7))
            }
        }
        FailingURLProtocol.error = nil
        let text = try await text("a", over: session)
        XCTAssertEqual(text, "a")
    }

    func testALoaderWithAResult() async throws {
        let loader = APIRequestLoader(apiRequest: AllUsers(), urlSession: session())
        MockURLProtocol.requestHandler = { _ in (HTTPURLResponse(), Data(#"["Emma"]"#.utf8)) }

        let users = try await withCheckedThrowingContinuation { continuation in
            loader.loadAPIRequest(requestData: ()) { continuation.resume(with: $0) }
        }
        XCTAssertEqual(users, ["Emma"])

        MockURLProtocol.handler = { _ in throw TestError(number: 7) }
        do {
            _ = try await withCheckedThrowingContinuation { continuation in
                loader.loadAPIRequest(requestData: ()) { continuation.resume(with: $0) }
            }
            XCTFail("It loads.")
        } catch {
            XCTAssertEqual(error as? TestError, TestError(number: 7))
        }
    }
}
