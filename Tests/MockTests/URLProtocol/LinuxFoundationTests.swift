import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

#if canImport(FoundationNetworking)
/// A session used without this library: a mock must do to it what Foundation does over a socket.
@Suite(.timeLimit(.minutes(5)), .usesManySockets) struct LinuxFoundationTests {
    /// What a client saw, and what the server.
    struct Outcome: Equatable {
        var status: Int?
        var url: String?
        var body: String?
        var length: String?
        var error: URLError.Code?
        var asked: [String]
        var requests: [String]
    }

    /// Runs one request over a socket and mocked, with the same URLs.
    private func outcomes(
        _ request: (URL) -> URLRequest, delegate: () -> NotingDelegate? = { nil },
        adding headers: [String: String] = [:], stub: (MockNetwork, _ other: URL) -> Void
    ) async throws -> (real: Outcome, mocked: Outcome) {
        func outcome(
            isMocked: Bool, _ first: LoopbackServer, _ other: LoopbackServer, _ seen: MockNetwork
        ) async -> Outcome {
            let configuration = isMocked ? seen.configuration : .withoutProxy
            configuration.urlCache = nil
            configuration.httpAdditionalHeaders = headers
            let delegate = delegate()
            let session = URLSession(
                configuration: configuration, delegate: delegate, delegateQueue: nil)
            let (data, response, error) = await withCheckedContinuation { continuation in
                session.dataTask(with: request(first.url)) { data, response, error in
                    continuation.resume(returning: (data, response as? HTTPURLResponse, error))
                }
                .resume()
            }
            return Outcome(
                status: response?.statusCode, url: response?.url?.absoluteString,
                body: data?.text, length: response?.value(forHTTPHeaderField: "Content-Length"),
                error: (error as? URLError)?.code, asked: delegate?.asked ?? [],
                requests: seen.requests.map(\.request.summary))
        }
        // One network holds the ports; what is mocked has a network of its own.
        let served = MockNetwork()
        let (first, other) = (try served.serve(), try served.serve())
        let mocked = MockNetwork()
        for network in [served, mocked] { stub(network, other.url) }
        return (
            await outcome(isMocked: false, first, other, served),
            await outcome(isMocked: true, first, other, mocked)
        )
    }

    private static let methods = ["GET", "HEAD", "POST", "PUT"]

    @Test(arguments: 300...308)
    func followsARedirectAsFoundationDoes(_ status: Int) async throws {
        for (method, hasDelegate) in Self.methods.flatMap({ [($0, false), ($0, true)] }) {
            let (real, mocked) = try await outcomes(
                { url in
                    var request = URLRequest(url: url.appending(path: "old"))
                    request.httpMethod = method
                    request.httpBody = ["POST", "PUT"].contains(method) ? Data("data".utf8) : nil
                    for name in ["Authorization", "X-Api-Key", "Cookie", "Content-Type", "Accept"] {
                        request.setValue("v", forHTTPHeaderField: name)
                    }
                    return request
                }, delegate: { hasDelegate ? NotingDelegate() : nil },
                stub: { network, other in
                    network.stub(.any, .text("there"), times: .any)
                    network.stub(
                        .path("/old"),
                        .text("moved", status: status).header("Location", "\(other)/new"))
                })

            #expect(mocked == real, "\(method), with a delegate: \(hasDelegate)")
        }
    }

    @Test func resolvesALocationAsFoundationDoes() async {
        let rows: [String] = [
            "new", "/new", "?q=2", "//HOST/n", "", "#f", "/a%20b/c%2Fd?x=%20#z", "/a b",
            "mailto:a@b", "http:///x", "http:/x", "ftp://127.0.0.1/x", "javascript:alert(1)",
            "file:///etc/hostname",
        ]
        await forEachRow(rows, named: \.self) { location, comment in
            let (real, mocked) = try await outcomes(
                { URLRequest(url: URL(string: "\($0)/v1/old?q=1#part")!) },
                stub: { network, other in
                    let authority = other.absoluteString.dropFirst("http://".count)
                    network.stub(.any, .text("there"), times: .any)
                    network.stub(
                        .path("/v1/old"),
                        .redirect(to: location.replacingOccurrences(of: "HOST", with: authority)))
                })

            #expect(mocked == real, comment)
        }
    }

    @Test(arguments: [false, true])
    func keepsCookiesOnARedirectAsFoundationDoes(_ hasDelegate: Bool) async throws {
        for own in [nil, "mine=1"] {
            let (real, mocked) = try await outcomes(
                { url in
                    var request = URLRequest(url: url.appending(path: "old"))
                    request.setValue(own, forHTTPHeaderField: "Cookie")
                    return request
                }, delegate: { hasDelegate ? NotingDelegate() : nil },
                stub: { network, _ in
                    network.stub(.any, .text("there"), times: .any)
                    network.stub(
                        .path("/old"), .redirect(to: "/new").header("Set-Cookie", "id=7"))
                })

            #expect(mocked == real)
        }
    }

    @Test func givesUpAfterAsManyRedirects() async throws {
        let (real, mocked) = try await outcomes(
            { URLRequest(url: $0.appending(path: "a")) },
            stub: { network, _ in network.stub(.any, .redirect(to: "/a")) })

        #expect(mocked == real)
        #expect(real.error == .httpTooManyRedirects)
    }

    @Test(arguments: [
        [:], ["X-Api-Key": "k", "authorization": "b"], ["x-own": "other"], ["X-Empty": ""],
        ["Cookie": "a=1"],
    ])
    func addsTheSessionsHeaders(_ headers: [String: String]) async throws {
        let (real, mocked) = try await outcomes(
            { url in
                var request = URLRequest(url: url.appending(path: "old"))
                request.setValue("1", forHTTPHeaderField: "X-Own")
                return request
            }, adding: headers,
            stub: { network, other in
                network.stub(.any, .text("there"), times: .any)
                network.stub(.path("/old"), .redirect(to: "\(other)/new"))
            })

        #expect(mocked == real)
    }

    @Test func matchesTheSessionsHeaders() async throws {
        let network = MockNetwork()
        network.stub(.any.header("X-Api-Key", "k"), .text("known"))
        let configuration = network.configuration
        configuration.httpAdditionalHeaders = ["X-Api-Key": "k"]

        let (data, _) = try await URLSession(configuration: configuration).exchange(.test("a"))
        #expect(data.text == "known")
    }

    @Test(arguments: ["GET", "POST"], [0, 1, 2])
    func asksForACredentialAsFoundationDoes(_ method: String, _ refusals: Int) async throws {
        let (real, mocked) = try await outcomes(
            { url in
                var request = URLRequest(url: url.appending(path: "a"))
                request.httpMethod = method
                request.httpBody = method == "POST" ? Data("data".utf8) : nil
                return request
            }, delegate: { NotingDelegate(credentials: refusals + 1) },
            stub: { network, _ in
                let challenge = MockResponse.text("no", status: 401)
                    .header("WWW-Authenticate", #"Basic realm="here""#)
                let right = "Basic \(Data("u:\(refusals)".utf8).base64EncodedString())"
                network.stub(.any.header("Authorization", right), .text("yes"), times: .any)
                network.stub(.any.not(.header("Authorization", right)), challenge)
            })

        #expect(mocked == real)
        #expect(mocked.body == "yes")
    }

    @Test(arguments: [
        URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge, .rejectProtectionSpace,
    ])
    func endsAChallengeAsFoundationDoes(
        _ disposition: URLSession.AuthChallengeDisposition
    ) async throws {
        let (real, mocked) = try await outcomes(
            { URLRequest(url: $0.appending(path: "a")) },
            delegate: { NotingDelegate(disposition: disposition) },
            stub: { network, _ in
                network.stub(.any, .status(401).header("WWW-Authenticate", "Basic realm=x"))
            })

        #expect(mocked == real)
        #expect(real.error == .cancelled)
    }

    // Over a socket, Foundation (up to 6.3) waits for ever.
    @Test(arguments: [false, true])
    func deliversA401ThatNobodyHasACredentialFor(_ hasDelegate: Bool) async throws {
        let network = MockNetwork()
        network.stub(.any, .text("who?", status: 401).header("WWW-Authenticate", "Basic realm=x"))
        let delegate = hasDelegate ? NotingDelegate(disposition: .performDefaultHandling) : nil
        let session = URLSession(
            configuration: network.configuration, delegate: delegate, delegateQueue: nil)

        let (data, response) = try await session.data(for: .test("a"))
        #expect(data.text == "who?")
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(delegate?.asked.count ?? 1 == 1)
    }

    @Test func findsTheSessionOfATask() {
        let sessions = (0..<3).map { _ in URLSession(configuration: MockNetwork().configuration) }
        let request = URLRequest.test("a")

        for session in sessions {
            #expect(session.dataTask(with: request).mirroredSession === session)
            #expect(session.uploadTask(with: request, from: Data()).mirroredSession === session)
            #expect(session.downloadTask(with: request).mirroredSession === session)
        }
    }
}

/// Follows redirects, answers challenges, and notes both.
final class NotingDelegate: NSObject, URLSessionTaskDelegate, Sendable {
    private let notes = Locked<[String]>([])
    private let credentials: Int
    private let disposition: URLSession.AuthChallengeDisposition

    /// - Parameter credentials: How many to try: `u:` and the number of failures.
    init(
        credentials: Int = 0, disposition: URLSession.AuthChallengeDisposition = .useCredential
    ) {
        self.credentials = credentials
        self.disposition = disposition
    }

    var asked: [String] { notes.withLock { $0 } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        notes.withLock { $0.append("\(response.statusCode) \(request.summary)") }
        completionHandler(request)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let (space, failures) = (challenge.protectionSpace, challenge.previousFailureCount)
        notes.withLock {
            $0.append(
                "\(space.authenticationMethod) \(space.realm ?? "") \(space.port) \(failures)")
        }
        guard disposition == .useCredential else { return completionHandler(disposition, nil) }
        guard failures < credentials else {
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        completionHandler(
            .useCredential, URLCredential(user: "u", password: "\(failures)", persistence: .none))
    }
}

extension URLRequest {
    /// What a request says, without what curl and Foundation add over a socket.
    fileprivate var summary: String {
        let added: Set = [
            "host", "user-agent", "connection", "accept-encoding", "accept-language",
            "content-length",
        ]
        let fields = (allHTTPHeaderFields ?? [:]).map {
            (name: $0.key.lowercased(), value: $0.value)
        }
        .filter { !added.contains($0.name) && $0.value != "*/*" && !$0.value.contains("form-url") }
        .sorted { $0.name < $1.name }.map { "\($0.name): \($0.value)" }
        let url = (url?.absoluteString ?? "").prefix { $0 != "#" }
        return "\(httpMethod ?? "") \(url) \(fields) \(httpBody?.text ?? "")"
    }
}
#endif
