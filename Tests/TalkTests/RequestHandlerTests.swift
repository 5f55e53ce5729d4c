import APIKitLite
import APIKitLiteTesting
import TestSupport
import XCTest

/// The responses of a handler, and the results of the client: the note on URLProtocol (TDD;
/// Implementing Network Service Class).
final class RequestHandlerTests: HandlerTestCase {
    func testAResponseWithoutAURLGetsTheRequests() async throws {
        MockURLProtocol.requestHandler = { _ in (HTTPURLResponse(), nil) }

        let (data, response) = try await makeSession().exchange(.test("a"))

        XCTAssertEqual(response.url, URLRequest.test("a").url)
        XCTAssertEqual(data, Data())
        #if canImport(FoundationNetworking)
        // On Apple platforms `HTTPURLResponse()` is Foundation's own, which promises no status.
        XCTAssertEqual(response.statusCode, 200)
        #endif
    }

    /// The types of handlers in tests that were written for a mock of their own.
    func testEveryFormOfAHandlerCompiles() async {
        struct Responses {
            let closure: (URLRequest) throws -> (HTTPURLResponse, Data)
            var optional: ((URLRequest) throws -> (HTTPURLResponse, Data?))?
            func method(_ request: URLRequest) -> (HTTPURLResponse, Data) { pair }
            let pair = (HTTPURLResponse(), Data("x".utf8))
            let named = (response: HTTPURLResponse(), data: Data("x".utf8))
        }
        func function(_ request: URLRequest) throws -> (HTTPURLResponse, Data?) { response("x") }
        let responses = Responses(
            closure: { _ in (HTTPURLResponse(), Data("x".utf8)) }, optional: function)

        let setters: [() -> Void] = [
            { MockURLProtocol.requestHandler = responses.closure },
            { MockURLProtocol.requestHandler = responses.optional },
            { MockURLProtocol.requestHandler = responses.method },
            { MockURLProtocol.requestHandler = function },
            { MockURLProtocol.requestHandler = { _ in responses.pair } },
            { MockURLProtocol.requestHandler = { _ in responses.named } },
        ]
        for (number, set) in setters.enumerated() {
            set()
            let text = await outcome(.test("a"), over: makeSession())
            XCTAssertEqual(text, "x", "\(number)")
        }
    }

    func testSettingAHandlerEmptiesTheJournal() async {
        MockURLProtocol.requestHandler = { _ in response("") }
        for path in ["1", "2"] { _ = await outcome(.test(path), over: makeSession()) }
        XCTAssertEqual(MockURLProtocol.requests.map(\.path), ["/1", "/2"])

        MockURLProtocol.requestHandler = nil
        XCTAssertEqual(MockURLProtocol.requests.count, 2, "Clearing the handler keeps them.")

        MockURLProtocol.requestHandler = { _ in response("") }
        XCTAssert(MockURLProtocol.requests.isEmpty)
    }

    func testASubclassIsStoppedOnceWhenItsTaskIsCancelled() async {
        final class Stopping: MockURLProtocol {
            static let stops = Locked(0)

            override func stopLoading() {
                Self.stops.withLock { $0 += 1 }
                super.stopLoading()
            }
        }
        let (load, release) = await startBlockedLoad(over: makeSession(Stopping.self))

        load.cancel()
        _ = await load.value
        release.signal()

        await waitUntil { Stopping.stops.withLock { $0 } > 0 }
        XCTAssertEqual(Stopping.stops.withLock { $0 }, 1)
        XCTAssertEqual(MockURLProtocol.requests.map(\.wasCancelled), [true])
    }
}
