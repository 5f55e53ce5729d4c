import APIKitLite
import APIKitLiteTesting
import Foundation
import XCTest

private typealias UserRequest = TestingSamples.UserRequest

/// One handler for the process: tests that set it are XCTest classes, which run one at a time.
final class UserRequestTests: XCTestCase {
    private var loader: APIRequestLoader<UserRequest>!

    override func setUp() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        loader = APIRequestLoader(
            apiRequest: UserRequest(), urlSession: URLSession(configuration: configuration))
    }

    override func tearDown() {
        MockURLProtocol.requestHandler = nil
    }

    func testLoadsAUser() {
        MockURLProtocol.requestHandler = { request in
            XCTAssertEqual(request.url?.path, "/users/42")
            return (HTTPURLResponse(), Data(#"{"name": "Emma"}"#.utf8))
        }
        let answered = expectation(description: "The load has ended.")

        loader.loadAPIRequest(requestData: 42) { user, error in
            XCTAssertEqual(user?.name, "Emma")
            answered.fulfill()
        }

        wait(for: [answered], timeout: 10)
    }
}

final class TalkSamples: XCTestCase {
    override func tearDown() {
        MockURLProtocol.requestHandler = nil
    }

    func testCodeThatUsesTheSharedSession() async throws {
        MockURLProtocol.register()
        defer { MockURLProtocol.unregister() }
        MockURLProtocol.requestHandler = { _ in
            (HTTPURLResponse(), Data(#"{"name": "Emma"}"#.utf8))
        }

        let user = try await APIRequestLoader(apiRequest: TestingSamples.UserRequest()).load(42)

        XCTAssertEqual(user.name, "Emma")
    }
}
