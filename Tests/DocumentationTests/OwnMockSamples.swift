import APIKitLite
import Foundation
import TestSupport
import XCTest

// The samples of ComingFromAnotherMock.md that set the static handler. Like a test of an app, this
// file does not import the mock.

final class OwnMockSamples: XCTestCase {
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
        defer { MockURLProtocol.requestHandler = nil }

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

    func testAHandlerOfAnotherName() async throws {
        MockURLProtocol.handler = { _ in (HTTPURLResponse(), Data("a".utf8)) }

        let text = try await text("a", over: session())

        XCTAssertEqual(text, "a")
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
}
