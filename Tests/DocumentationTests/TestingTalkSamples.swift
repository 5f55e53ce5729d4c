import APIKitLite
import APIKitLiteTesting
import Foundation
import XCTest

final class TalkSamples: XCTestCase {
    override func tearDown() { MockURLProtocol.requestHandler = nil }

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
