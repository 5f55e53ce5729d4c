#if canImport(FoundationNetworking)
@testable import APIKitLite
import Foundation
import TestSupport
import Testing

/// A server closes a kept-alive connection just as a request with a body reuses it. On Apple
/// platforms, Foundation decides what it sends again (Technical Q&A QA1941).
@Suite(.limited, .usesManySockets) struct ClosedConnectionTests {
    /// How often each kind of request is sent: enough for every connection to be closed many times.
    private let count = 20

    enum Way: CaseIterable { case exchange, exchangeWithDelegate, stream }

    @Test(arguments: Upload.allCases, Way.allCases)
    func sendsTheWholeBodyAgain(_ upload: Upload, _ way: Way) async throws {
        let server = try ClosingServer()
        let folder = try TemporaryFolder()
        var request = try upload.request(to: server.url, folder)
        if way == .stream {
            request.httpMethod = "POST"
            request.setValue("1", forHTTPHeaderField: "Idempotency-Key")
        }
        let session = session(hasDelegate: way != .exchange)

        for _ in 0..<count {
            #expect(
                await session.outcome(of: request, asStream: way == .stream)
                    == .body(request.bodySize))
        }

        #expect(server.closedCount >= count / 2)
    }

    /// Foundation asks for the body of a request again. Without a body, it does not tell.
    @Test(arguments: ["PUT", "QUERY", "GET"], [false, true])
    func reportsEachRequestThatIsSentAgain(_ method: String, _ asStream: Bool) async throws {
        let server = try ClosingServer()
        let folder = try TemporaryFolder()
        var request = try Upload.data.request(to: server.url, folder)
        request.httpMethod = method
        if method == "GET" { request.httpBody = nil }
        let log = Locked<[ExchangeEvent]>([])
        let session = session(hasDelegate: false).observed { event in
            log.withLock { $0.append(event) }
        }

        for _ in 0..<count {
            #expect(
                await session.outcome(of: request, asStream: asStream) == .body(request.bodySize))
        }

        let resent = log.withLock { $0 }.filter {
            if case .resent = $0.kind { true } else { false }
        }
        #expect(server.closedCount >= count / 2)
        #expect(resent.count == (method == "GET" ? 0 : server.closedCount))
        #expect(resent.allSatisfy { $0.id != nil && $0.duration != nil })
    }

    @Test(arguments: Upload.allCases, Way.allCases)
    func sendsAPOSTOnce(_ upload: Upload, _ way: Way) async throws {
        let server = try ClosingServer(closing: .afterTheBody)
        let folder = try TemporaryFolder()
        var request = try upload.request(to: server.url, folder)
        request.httpMethod = "POST"
        let session = session(hasDelegate: way != .exchange)
        let retrying = session.retrying(RetryPolicy(baseDelay: .zero))
        var outcomes: [ExchangeOutcome: Int] = [:]
        for number in 0..<count {
            request.setValue("\(number)", forHTTPHeaderField: "X-Number")
            let sender: any HTTPSession = number.isMultiple(of: 3) ? retrying : session
            outcomes[await sender.outcome(of: request, asStream: way == .stream), default: 0] += 1
        }

        #expect(
            Set(outcomes.keys) == [.body(request.bodySize), .error(.networkConnectionLost)])
        #expect(server.readCounts.count == count)
        #expect(server.readCounts.values.allSatisfy { $0 == 1 })
    }

    @Test func sendsManyBodiesAtOnce() async throws {
        let server = try ClosingServer()
        let request = try Upload.data.request(to: server.url, try TemporaryFolder())
        let session = session(hasDelegate: false)

        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<150 { group.addTask { try await session.exchange(request).0.text } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }

        #expect(answers == [request.bodySize])
    }

    @Test func sendsABodyAgainAfterARedirect() async throws {
        let server = try ClosingServer()
        let request = try Upload.data.request(
            to: server.url.appending(path: "redirect"), try TemporaryFolder())
        let session = session(hasDelegate: false)

        for _ in 0..<count {
            let (data, response) = try await session.exchange(request)
            #expect(data.text == request.bodySize)
            #expect(response.url?.path() == "/")
        }
    }

    @Test func refreshesACredential() async throws {
        let server = try ClosingServer()
        let request = try Upload.data.request(
            to: server.url.appending(path: "refused"), try TemporaryFolder())
        let tokens = Credentials("old", for: server.url) { token, request in
            try request.authorization(bearer: token)
        } refresh: { rejection in
            let request = try URLRequest("PUT", server.url, path: "/token")
                .jsonBody(["refresh": rejection.credential])
            return try await rejection.session.load(request, as: String.self)
        }
        let session = session(hasDelegate: false).authenticated(by: tokens)

        for _ in 0..<count {
            tokens.credential = "old"
            #expect(try await session.exchange(request).0.text == request.bodySize)
        }
    }

    @Test(arguments: [ClosingServer.End.beforeTheBody, .afterTheBody], Way.allCases)
    func sendsABodyStreamOfTheCallersOwnOnce(_ end: ClosingServer.End, _ way: Way) async throws {
        let server = try ClosingServer(closing: end)
        let session = session(hasDelegate: way != .exchange)
        var request = URLRequest(url: server.url)
        var outcomes: Set<ExchangeOutcome> = []

        for number in 0..<2 * count {
            request.httpMethod = number.isMultiple(of: 2) ? "PUT" : "POST"
            request.setValue("\(number)", forHTTPHeaderField: "X-Number")
            request.httpBodyStream = InputStream(data: Data("fourteen bytes".utf8))
            outcomes.insert(await session.outcome(of: request, asStream: way == .stream))
        }

        #expect(outcomes == [.body("14"), .error(.networkConnectionLost)])
        #expect(server.emptyCount == 0)
        #expect(server.readCounts.values.allSatisfy { $0 == 1 })
    }

    private func session(hasDelegate: Bool) -> URLSession {
        let configuration = URLSessionConfiguration.withoutProxy
        configuration.timeoutIntervalForRequest = 20
        return URLSession(
            configuration: configuration, delegate: hasDelegate ? StreamingDelegate() : nil,
            delegateQueue: nil)
    }
}

/// The kinds of bodies that can be sent again.
enum Upload: CaseIterable {
    case data, form, file, multipart, files

    func request(to url: URL, _ folder: TemporaryFolder) throws -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        let boundary = "boundary"
        switch self {
        case .data:
            request.httpBody = Data("fourteen bytes".utf8)
            return request
        case .form:
            return try request.formBody(["name": "Emma"])
        case .file:
            return try request.fileBody(folder.write("bytes"))
        case .multipart:
            return try request.multipartBody([.text("name", "Emma")], boundary: boundary)
        case .files:
            return try request.multipartBody(
                [.text("name", "Emma"), .file("file", at: folder.write("bytes"))],
                boundary: boundary)
        }
    }
}

/// A delegate that would answer with a stream, which ends the process if the body is data.
private final class StreamingDelegate: NSObject, URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(InputStream(data: Data("other".utf8)))
    }
}

extension URLRequest {
    /// The number of bytes in the body, as the server answers with it.
    fileprivate var bodySize: String { "\(repeatableBody?.size ?? httpBody?.count ?? 0)" }
}
#endif
