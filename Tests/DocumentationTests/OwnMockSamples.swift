import APIKitLite
import TestSupport
import XCTest

// The samples of Migrate.md that set the static handler. Like a test of an app, this
// file does not import the mock.

final class OwnMockSamples: XCTestCase {
    override func tearDown() { MockURLProtocol.requestHandler = nil }

    func testAHandlerOfAnotherName() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        MockURLProtocol.handler = { _ in (HTTPURLResponse(), Data("a".utf8)) }

        let (data, _) = try await URLSession(configuration: configuration).exchange(.test("a"))

        XCTAssertEqual(data.text, "a")
    }
}
