import APIKitLite
import APIKitLiteTesting
import Foundation
import XCTest

/// What a handler gives, and what the client gets: the note on URLProtocol (TDD; Implementing
/// Network Service Class).
final class RequestHandlerTests: HandlerTestCase {
    private final class HandlerError: Error {}

    private struct TextRequest: APIRequest {
        let url: URL
        func makeRequest(from _: Void) throws -> URLRequest { URLRequest(url: url) }
        func parseResponse(data: Data) throws -> String { String(decoding: data, as: UTF8.self) }
    }

    private func makeLoader() -> APIRequestLoader<TextRequest> {
        APIRequestLoader(apiRequest: TextRequest(url: url("/text")), urlSession: makeSession())
    }

    func testAThrownErrorIsWhatExchangeThrows() async {
        let thrown = HandlerError()
        MockURLProtocol.requestHandler = { _ in throw thrown }

        do {
            _ = try await makeSession().exchange(URLRequest(url: url("/")))
            XCTFail("Nothing was thrown.")
        } catch {
            XCTAssert(error as? HandlerError === thrown, "\(error)")
        }
    }

    func testAThrownErrorIsUnderTheLoadersError() async {
        let thrown = HandlerError()
        MockURLProtocol.requestHandler = { _ in throw thrown }

        do {
            _ = try await makeLoader().load()
            XCTFail("Nothing was thrown.")
        } catch {
            XCTAssertEqual(error.stage, .transport)
            XCTAssert(error.underlying as? HandlerError === thrown, "\(error)")
        }
    }

    func testAThrownErrorReachesACompletionHandler() {
        let thrown = HandlerError()
        MockURLProtocol.requestHandler = { _ in throw thrown }
        let expectation = expectation(description: "failed")
        var failure: Error?

        makeLoader().loadAPIRequest(requestData: ()) { text, error in
            XCTAssertNil(text)
            failure = error
            expectation.fulfill()
        }
        wait(for: [expectation], timeout: 10)

        XCTAssert(failure as? HandlerError === thrown)
    }

    func testNoDataIsAnEmptyBody() async throws {
        MockURLProtocol.requestHandler = { request in
            let response = HTTPURLResponse(
                url: request.url!, statusCode: 204, httpVersion: nil, headerFields: nil)!
            return (response, nil)
        }

        let (data, response) = try await makeSession().exchange(URLRequest(url: url("/empty")))

        XCTAssertEqual(data, Data())
        XCTAssertEqual(response.statusCode, 204)
    }

    /// Most of the documents declare the handler without the question mark.
    func testAHandlerThatAlwaysHasDataFits() async throws {
        let handler: (URLRequest) throws -> (HTTPURLResponse, Data) = { request in
            (HTTPURLResponse(), Data(request.url!.path.utf8))
        }
        MockURLProtocol.requestHandler = handler

        let (data, _) = try await makeSession().exchange(URLRequest(url: url("/data")))

        XCTAssertEqual(String(decoding: data, as: UTF8.self), "/data")
    }

    /// The note's `fatalError` ends the whole run; here one request fails, and it says why.
    func testAMissingHandlerFailsAtOnce() {
        let start = Date()
        let load = Load(url("/locations"), over: makeSession())
        wait(for: [load.ended], timeout: 10)

        XCTAssertEqual(load.reason, .noHandler)
        XCTAssertLessThan(Date().timeIntervalSince(start), 5)
        let text = load.error.map { "\($0)" } ?? ""
        XCTAssert(text.contains("GET https://example.com/locations"), text)
        XCTAssert(text.contains("Set MockURLProtocol.requestHandler"), text)
    }

    func testAClearedHandlerIsMissing() {
        MockURLProtocol.requestHandler = { _ in answer("") }
        MockURLProtocol.requestHandler = nil
        let load = Load(url("/"), over: makeSession())
        wait(for: [load.ended], timeout: 10)

        XCTAssertEqual(load.reason, .noHandler)
    }

    func testAResponseWithoutAURLGetsTheRequests() async throws {
        MockURLProtocol.requestHandler = { _ in (HTTPURLResponse(), nil) }

        let (_, response) = try await makeSession().exchange(URLRequest(url: url("/a?b=c")))

        XCTAssertEqual(response.url, url("/a?b=c"))
    }

    #if canImport(FoundationNetworking)
    // On Apple platforms `HTTPURLResponse()` is Foundation's own, which promises no status.
    func testAResponseWithoutArgumentsIsA200() {
        XCTAssertEqual(HTTPURLResponse().statusCode, 200)
    }
    #endif

    func testAResponseWithAURLIsDeliveredAsItIs() async throws {
        let given = HTTPURLResponse(
            url: URL(string: "https://elsewhere.example.com/")!, statusCode: 299,
            httpVersion: "HTTP/1.1", headerFields: ["X-A": "b"])!
        MockURLProtocol.requestHandler = { _ in (given, nil) }

        let (_, response) = try await makeSession().exchange(URLRequest(url: url("/")))

        XCTAssertEqual(response.url, given.url)
        XCTAssertEqual(response.statusCode, 299)
        XCTAssertEqual(response.value(forHTTPHeaderField: "X-A"), "b")
        #if canImport(FoundationNetworking)
        // Foundation on Apple platforms does not promise to hand on the object.
        XCTAssert(response === given)
        #endif
    }

    func testTheHandlerSeesTheBody() async throws {
        var bodies: [Data?] = []
        MockURLProtocol.requestHandler = { request in
            bodies.append(request.httpBody)
            return answer("")
        }
        var request = URLRequest(url: url("/"))
        request.httpMethod = "POST"
        request.httpBody = Data("whole".utf8)
        _ = try await makeSession().exchange(request)
        request.httpBody = nil
        request.httpBodyStream = InputStream(data: Data("streamed".utf8))
        _ = try await makeSession().exchange(request)

        XCTAssertEqual(bodies, [Data("whole".utf8), Data("streamed".utf8)])
        XCTAssertEqual(MockURLProtocol.requests.map(\.body), bodies)
    }

    func testSettingAHandlerEmptiesTheJournal() async throws {
        MockURLProtocol.requestHandler = { _ in answer("") }
        _ = try await makeSession().exchange(URLRequest(url: url("/1")))
        _ = try await makeSession().exchange(URLRequest(url: url("/2")))
        XCTAssertEqual(MockURLProtocol.requests.map(\.request.url?.path), ["/1", "/2"])

        MockURLProtocol.requestHandler = nil
        XCTAssertEqual(MockURLProtocol.requests.count, 2, "Clearing the handler keeps them.")

        MockURLProtocol.requestHandler = { _ in answer("") }
        XCTAssert(MockURLProtocol.requests.isEmpty)
    }
}
