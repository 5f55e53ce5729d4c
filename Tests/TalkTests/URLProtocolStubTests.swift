import APIKitLiteTesting
import TestSupport
import XCTest

@testable import APIKitLite

/// The file of the page *Move from another library* gives a client what a class that an app has
/// written gives.
final class URLProtocolStubTests: HandlerTestCase {
    private typealias Values = (data: Data?, response: URLResponse?, error: Error?)

    private let url = URLRequest.test("a").url!

    override func tearDown() {
        URLProtocolStub.stopInterceptingRequests()
        WrittenStub.values = nil
    }

    private func session(_ type: AnyClass = URLProtocolStub.self) -> URLSession {
        makeSession(type)
    }

    private func http(_ status: Int = 201, _ fields: [String: String] = [:]) -> HTTPURLResponse {
        HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields)!
    }

    private var allValues: [Values] {
        let plain = URLResponse(
            url: url, mimeType: nil, expectedContentLength: 3, textEncodingName: nil)
        let error = NSError(domain: "any", code: 7)
        let table: [Values] = [nil, Data(), Data("abc".utf8)].flatMap { data in
            [nil, plain, http(), http(404)].flatMap { response in
                // With neither a response nor an error, a written stub ends the process on Linux.
                response == nil
                    ? [(data, nil, error)] : [(data, response, nil), (data, response, error)]
            }
        }
        return table + [
            (nil, nil, TestError(number: 7)), (nil, nil, URLError(.notConnectedToInternet)),
        ]
    }

    private func stub(_ values: Values) {
        URLProtocolStub.stub(data: values.data, response: values.response, error: values.error)
        WrittenStub.values = values
    }

    private func text(_ values: Values) -> String {
        let error = values.error.map { originalError(of: $0) as NSError }
        let http = values.response as? HTTPURLResponse
        return "\(values.data?.text ?? "no data"), \(http?.statusCode ?? 0), "
            + "\(values.response?.url?.absoluteString ?? "no response"), "
            + "\(error.map { "\($0.domain) \($0.code)" } ?? "no error")"
    }

    private func load(_ request: URLRequest, over session: URLSession) -> Values {
        let ended = expectation(description: "The load has ended.")
        nonisolated(unsafe) var values: Values = (nil, nil, nil)  // Read after the wait only.
        session.dataTask(with: request) {
            values = ($0, $1, $2)
            ended.fulfill()
        }
        .resume()
        wait(for: [ended], timeout: 900)
        return values
    }

    func testEveryClientGetsWhatItGetsFromAWrittenStub() async {
        func text(_ load: (URLRequest) async throws -> (Data, URLResponse)) async -> String {
            do {
                let (data, response) = try await load(.test("a"))
                return self.text((data, response, nil))
            } catch {
                return self.text((nil, nil, error))
            }
        }
        func texts(_ session: URLSession) async -> [String] {
            await [
                self.text(load(.test("a"), over: session)), text { try await session.exchange($0) },
                text { try await session.data(for: $0) },
            ]
        }
        for values in allValues {
            stub(values)
            let (ours, theirs) = await (texts(session()), texts(session(WrittenStub.self)))
            XCTAssertEqual(ours, theirs, self.text(values))
        }
    }

    /// Foundation's async function would end the process on Linux.
    func testWithoutAResponseAndAnErrorEveryClientGetsAnError() async {
        for data in [nil, Data("abc".utf8)] {
            stub((data, nil, nil))
            let session = session()
            for load in [
                { try await session.data(for: .test("a")) as Any },
                { try await session.exchange(.test("a")) as Any },
            ] {
                do {
                    XCTFail("\(try await load())")
                } catch {
                    XCTAssertEqual((error as? URLError)?.code, .badServerResponse)
                }
            }
        }
    }

    func testAStubOfAURLRespondsToThatURL() {
        URLProtocolStub.stub(data: Data("all".utf8), response: http(), error: nil)
        URLProtocolStub.stub(url: url, data: Data("one".utf8), response: http(), error: nil)

        let texts = ["a", "b"].map { load(.test($0), over: session()).data?.text }

        XCTAssertEqual(texts, ["one", "all"])
    }

    func testTheObserverSeesEachRequestAndItsBodyFirst() {
        var form = URLRequest.test("form", method: "POST")
        form.httpBody = Data("a=b".utf8)
        var streamed = URLRequest.test("stream", method: "PUT")
        streamed.httpBodyStream = InputStream(data: Data("streamed".utf8))
        var seen: [String] = []
        URLProtocolStub.observeRequests { request in
            let body = request.httpBody?.text ?? "-"
            seen.append("\(request.httpMethod!) \(request.url!.path) \(body)")
        }

        for request in [.test("get"), form, streamed] {
            XCTAssertEqual(
                text(load(request, over: session())),
                "no data, 0, no response, NSURLErrorDomain -1011")
        }
        XCTAssertEqual(seen, ["GET /get -", "POST /form a=b", "PUT /stream streamed"])

        stub((Data("abc".utf8), http(), nil))
        XCTAssertEqual(load(.test("get"), over: session()).data?.text, "abc")
        XCTAssertEqual(seen.count, 4)

        URLProtocolStub.removeStub()
        stub((nil, http(), nil))
        _ = load(.test("get"), over: session())
        XCTAssertEqual(seen.count, 4, "The observer was removed.")
    }

    // On Linux, a call of the session on the thread of the copies ends the process.
    func testAnObserverUsesTheSession() {
        let session = session()
        var task: URLSessionTask?
        let other = expectation(description: "The observer loads.")
        URLProtocolStub.observeRequests { _ in
            task?.cancel()
            session.dataTask(with: .test("b")).cancel()
            other.fulfill()
        }
        let ended = expectation(description: "The load has ended.")

        task = session.dataTask(with: .test("a")) { _, _, error in
            XCTAssertEqual((error as? URLError)?.code, .cancelled)
            ended.fulfill()
        }
        task?.resume()

        wait(for: [ended, other], timeout: 900)
    }

    func testTheSharedSessionGetsResponsesUntilItIsStopped() throws {
        setenv("no_proxy", "127.0.0.1", 1)
        let network = MockNetwork()
        network.stub(.any, .text("network"))
        let server = try network.serve()
        defer { server.stop() }

        var request = URLRequest(url: server.url)
        request.timeoutInterval = 3_600

        URLProtocolStub.startInterceptingRequests()
        stub((Data("stub".utf8), http(), nil))
        XCTAssertEqual(load(request, over: .shared).data?.text, "stub")
        URLProtocolStub.stopInterceptingRequests()
        XCTAssertEqual(load(request, over: .shared).data?.text, "network")
    }
}

/// The form in which apps have written it: the data comes first.
private final class WrittenStub: URLProtocol {
    nonisolated(unsafe) static var values: (data: Data?, response: URLResponse?, error: Error?)?

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let values = Self.values else { return }
        if let data = values.data { client?.urlProtocol(self, didLoad: data) }
        if let response = values.response {
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        }
        if let error = values.error {
            client?.urlProtocol(self, didFailWithError: error)
        } else {
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    override func stopLoading() {}
}
