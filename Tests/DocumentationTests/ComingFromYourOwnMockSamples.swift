import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing
import XCTest

/// The samples of ComingFromYourOwnMock.md.
final class ComingFromYourOwnMockSamples: XCTestCase {
    struct UserRequest: APIRequest, Sendable {
        typealias ResponseDataType = [String: String]

        func makeRequest(from id: Int) throws -> URLRequest {
            try URLRequest(
                "GET", URL(string: "https://api.example.com")!, path: "/users/{id}", ["id": id])
        }
    }

    struct AnyStatusRequest: APIRequest, Sendable {
        typealias ResponseDataType = [String: String]

        func makeRequest(from id: Int) throws -> URLRequest {
            try UserRequest().makeRequest(from: id)
        }

        func validateResponse(data: Data, response: HTTPURLResponse) {}
    }

    var session: URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        return URLSession(configuration: configuration)
    }

    override func tearDown() {
        MockURLProtocol.requestHandler = nil
    }

    func testRefusesA404() async throws {
        MockURLProtocol.requestHandler = { request in
            let response = HTTPURLResponse(
                url: request.url!, statusCode: 404, httpVersion: nil, headerFields: nil)!
            return (response, Data(#"{"name": "nobody"}"#.utf8))
        }
        let refused = await result(of: UserRequest())
        let accepted = await result(of: AnyStatusRequest())

        XCTAssertThrowsError(try refused.get()) {
            XCTAssertEqual($0 as? UnacceptableStatus, UnacceptableStatus(statusCode: 404))
        }
        XCTAssertEqual(try accepted.get(), ["name": "nobody"])
    }

    private func result<T: APIRequest & Sendable>(
        of request: T
    ) async -> Result<[String: String], any Error>
    where T.RequestDataType == Int, T.ResponseDataType == [String: String] {
        let loader = APIRequestLoader(apiRequest: request, urlSession: session)
        return await withCheckedContinuation { continuation in
            loader.loadAPIRequest(requestData: 1) { value, error in
                continuation.resume(returning: value.map { .success($0) } ?? .failure(error!))
            }
        }
    }

    final class OneHost: MockURLProtocol {
        override class func canInit(with request: URLRequest) -> Bool {
            request.url?.host() == "api.example.com" && super.canInit(with: request)
        }
    }

    func testASubclassDeclinesOtherHosts() throws {
        XCTAssertTrue(OneHost.canInit(with: try UserRequest().makeRequest(from: 1)))
        XCTAssertFalse(OneHost.canInit(with: try URLRequest("GET", URL(string: "https://h")!)))
    }
}

/// The same tests with a network of their own, which may run in parallel.
@Suite(.limited, .usesSockets) struct MovedToMockNetworkSamples {
    typealias UserRequest = ComingFromYourOwnMockSamples.UserRequest

    @Test func loadsAUser() async throws {
        let network = MockNetwork { request in
            #expect(request.url?.path == "/users/42")
            return (HTTPURLResponse(), Data(#"{"name": "Emma"}"#.utf8))
        }
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)

        let user = try await loader.load(42)

        #expect(user == ["name": "Emma"])
    }
}
