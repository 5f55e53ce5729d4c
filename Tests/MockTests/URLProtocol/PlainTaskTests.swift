import TestSupport

@Suite(.limited, .usesSockets) struct PlainTaskTests {
    private let network = MockNetwork()

    @Test(arguments: ["GET", "HEAD", "POST", "PUT"])
    func followsTheRedirectsThatExchangeFollows(_ method: String) async throws {
        network.stub(.any, .text("there"), times: .any)
        for status in [300, 301, 303, 307] {
            for location in ["new?q=1#f", "https://other.example.com/new", "mailto:a@b"] {
                var request = URLRequest.test("v1/old", method: method)
                request.httpBody = ["POST", "PUT"].contains(method) ? Data("data".utf8) : nil
                request.allHTTPHeaderFields = [
                    "Authorization": "v", "X-Api-Key": "v", "Content-Type": "v", "Accept": "v",
                ]
                network.stub(
                    .path("/v1/old"), .text("", status: status).header("Location", location))
                let before = network.requests.count

                let (_, response, _) = await network.urlSession.completion(of: request)

                let redirect = HTTPURLResponse(
                    url: request.url!, statusCode: status, httpVersion: nil,
                    headerFields: ["Location": location])!
                let next = redirectedRequest(after: redirect, from: request)
                let sent = network.requests.dropFirst(before + 1).map(\.request)
                #expect(sent.map(\.line) == [next].compactMap { $0?.line })
                #expect(response?.statusCode == (next == nil ? status : 200))
            }
        }
    }

    @Test func givesUpAfterSixteenRedirects() async {
        // An end, so that the test fails where nobody counts.
        network.stub(.any, .text("too late"), times: .any)
        network.stub(.any, .redirect(to: "/a"), times: .exactly(50))

        let (_, _, error) = await network.urlSession.completion(of: .test("a"))

        #expect((error as? URLError)?.code == .httpTooManyRedirects)
        #expect(network.requests.count == 17)
    }

    @Test(arguments: [false, true])
    func deliversABasicChallengeAsAResponse(_ hasDelegate: Bool) async throws {
        network.stub(
            .any, .text("who?", status: 401).header("WWW-Authenticate", #"Basic realm="x""#))
        let delegate = hasDelegate ? CredentialDelegate() : nil
        let session = network.urlSession(delegate: delegate)

        let (data, response, error) = await session.completion(of: .test("a"))

        #expect(error == nil)
        #expect(data?.text == "who?")
        #expect(response?.statusCode == 401)
        let challenge = response?.value(forHTTPHeaderField: "WWW-Authenticate") ?? ""
        #expect(challenge.trimmingCharacters(in: .whitespaces) == #"Basic realm="x""#)
        #expect(network.requests.count == 1)
        #expect(await session.outcome(of: .test("a")) == .body("who?"))
        #expect(network.requests.count == 2)
    }

    #if canImport(FoundationNetworking)
    @Test func matchesTheHeadersOfTheSession() async throws {
        let other = "https://other.example.com/b"
        network.stub(.any.header("X-Api-Key", "k").header("Accept", "a/b"), .redirect(to: other))
        network.stub(.get("/b"), .text("known"))
        let configuration = network.configuration
        configuration.httpAdditionalHeaders = ["X-Api-Key": "k", "accept": "c/d"]
        var request = URLRequest.test("a")
        request.setValue("a/b", forHTTPHeaderField: "Accept")

        let (data, _, _) = await URLSession(configuration: configuration).completion(of: request)

        #expect(data?.text == "known")
        #expect(network.requests.map { $0.header("X-Api-Key") } == ["k", nil])
    }
    #endif
}

/// Has a credential, which a mock must not ask for: Foundation would send it to the real host.
private final class CredentialDelegate: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(
            .useCredential, URLCredential(user: "u", password: "p", persistence: .none))
    }
}

extension URLSession {
    /// What the completion handler of a data task receives.
    func completion(
        of request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async -> (data: Data?, response: HTTPURLResponse?, error: (any Error)?) {
        await withCheckedContinuation { continuation in
            let task = dataTask(with: request) { data, response, error in
                continuation.resume(returning: (data, response as? HTTPURLResponse, error))
            }
            if let delegate { task.delegate = delegate }
            task.resume()
        }
    }
}

extension URLRequest {
    /// The method, the URL, the headers and the body.
    fileprivate var line: String {
        let fields = (allHTTPHeaderFields ?? [:]).map { "\($0): \($1)" }.sorted()
        return "\(httpMethod ?? "") \(url?.absoluteString ?? "") \(fields) \(httpBody?.text ?? "")"
    }
}
