import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited) struct MockURLSessionTests {
    private let url = URL(string: "https://api.example.com/a")!

    private func response(_ status: Int) -> HTTPURLResponse {
        HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)!
    }

    @Test func respondsInsideResumeAndOnce() {
        let session = MockURLSession(response: (Data("x".utf8), response(200), nil))
        var responses: [String?] = []

        let task = session.dataTask(with: url) { data, _, _ in responses.append(data?.text) }

        #expect(responses.isEmpty)
        task.resume()
        #expect(responses == ["x"])
        task.resume()
        task.cancel()
        #expect(responses == ["x"])
    }

    @Test func isCancelledBeforeItIsResumed() {
        let session = MockURLSession(isRequestSuccess: true)
        var errors: [URLError.Code?] = []

        let task = session.dataTask(with: url) { _, _, error in
            errors.append((error as? URLError)?.code)
        }
        task.cancel()
        task.resume()

        #expect(errors == [.cancelled])
    }

    @Test(arguments: [
        (MockURLSession(isRequestSuccess: true, data: Data("data".utf8)), 200, "data"),
        (MockURLSession(isRequestSuccess: false, data: Data("data".utf8)), 404, ""),
        (.make(url: "https://api.example.com/a", data: nil, statusCode: 500), 500, ""),
    ])
    func givesAFixedResponse(_ session: MockURLSession, _ status: Int, _ body: String) async throws
    {
        let (data, response) = try await session.exchange(URLRequest(url: url))

        #expect(response.statusCode == status)
        #expect(response.url == url)
        #expect(data.text == body)
    }

    @Test func failsWithTheCause() async throws {
        let body = Data("x".utf8)
        let request = URLRequest(url: url)

        let noURL = MockURLSession.make(url: "", data: body, statusCode: 200)
        #expect(await noURL.outcome(of: request) == .error(.badURL))

        // The error counts more than the data.
        let failing = MockURLSession(response: (body, response(200), TestError()))
        await #expect(throws: TestError()) { try await failing.exchange(request) }

        let empty = MockURLSession(response: (body, nil, nil))
        let failure = await #expect(throws: MockError.self) { try await empty.exchange(request) }
        #expect(failure?.description.contains("has no response for GET") == true)

        let file = URLResponse(
            url: URL(string: "file:///a")!, mimeType: nil, expectedContentLength: 0,
            textEncodingName: nil)
        let notHTTP = MockURLSession(response: (body, file, nil))
        await #expect(throws: TransportError.self) { try await notHTTP.exchange(request) }
    }
}

@Suite(.limited) struct JsonLoaderTests {
    @Test func listsEveryPathItTried() {
        let error = #expect(throws: MockError.self) {
            try JsonLoader(bundle: .main).data(fileName: "Missing")
        }

        let lines = error?.description.split(separator: "\n") ?? []
        #expect(lines.first?.contains("\"Missing\"") == true)
        #expect(lines.count { $0.hasPrefix("  /") } == 6)
        #expect(lines.contains { $0.hasSuffix("/Fixtures/Missing.json") })
    }
}
