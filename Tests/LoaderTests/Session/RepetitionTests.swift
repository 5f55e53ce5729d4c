#if canImport(FoundationNetworking)
import APIKitLite
import APIKitLiteTesting
import Foundation
import FoundationNetworking
import TestSupport
import Testing

/// libcurl sends a request again by itself if a kept-alive connection ends before the response. The
/// library allows that only for a request that may be repeated and has no body.
@Suite(.limited, .usesManySockets) struct RepetitionTests {
    enum Way: CaseIterable { case exchange, exchangeWithoutCache, stream }

    @Test(arguments: ["POST", "PATCH"], Way.allCases)
    func sendsARequestWithoutABodyOnce(_ method: String, _ way: Way) async throws {
        let count = 40
        let server = try ClosingServer(closing: .afterTheBody)
        let session = session(way)
        var request = URLRequest(url: server.url)
        request.httpMethod = method
        var outcomes: Set<ExchangeOutcome> = []

        for number in 0..<count {
            request.setValue("\(number)", forHTTPHeaderField: "X-Number")
            outcomes.insert(await session.outcome(of: request, asStream: way == .stream))
        }

        #expect(outcomes == [.body("0"), .error(.networkConnectionLost)])
        #expect(server.readCounts.count == count)
        #expect(server.readCounts.values.allSatisfy { $0 == 1 })
    }

    /// If two kept-alive connections end, libcurl forgets a body that it has read.
    @Test(
        arguments: [("POST", false), ("PUT", false), ("POST", true)] as [(String, Bool)],
        Way.allCases)
    func losesNoBody(_ row: (method: String, isOwnStream: Bool), _ way: Way) async throws {
        let (count, size) = (300, 60_000)
        let server = try ClosingServer(closing: .resetBeforeTheBody)
        let session = session(way)

        let outcomes = await withTaskGroup(of: Set<ExchangeOutcome>.self) { group in
            for worker in 0..<6 {
                group.addTask {
                    var outcomes: Set<ExchangeOutcome> = []
                    for number in 0..<count / 6 {
                        var request = URLRequest(url: server.url)
                        request.httpMethod = row.method
                        request.setValue("\(worker) \(number)", forHTTPHeaderField: "X-Number")
                        let body = Data(repeating: 0x61, count: size)
                        if row.isOwnStream {
                            request.httpBodyStream = InputStream(data: body)
                        } else {
                            request.httpBody = body
                        }
                        outcomes.insert(
                            await session.outcome(of: request, asStream: way == .stream))
                    }
                    return outcomes
                }
            }
            return await group.reduce(into: Set()) { $0.formUnion($1) }
        }

        var expected: Set<ExchangeOutcome> = [.body("\(size)"), .error(.networkConnectionLost)]
        if row.method == "PUT" { expected.remove(.error(.networkConnectionLost)) }
        #expect(outcomes == expected)
        #expect(server.readCounts.values.allSatisfy { $0 == 1 })
    }

    /// The number of times that each request is sent if no connection brings a response.
    @Test(
        arguments: [
            ("PUT", .data, 2), ("POST", .data, 1), ("GET", nil, 1), ("POST", nil, 1),
            ("PUT", nil, 1), ("POST with a key", .data, 2), ("PUT", .file, 2), ("POST", .file, 1),
        ] as [(String, Upload?, Int)], [false, true])
    func sendsARepeatableBodyASecondTime(
        _ row: (method: String, upload: Upload?, count: Int), _ asStream: Bool
    ) async throws {
        let server = try BrokenServer(.closed)
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
        let folder = try TemporaryFolder()
        var request = try row.upload?.request(to: url, folder) ?? URLRequest(url: url)
        request.httpMethod = row.method.components(separatedBy: " ")[0]
        if row.method.hasSuffix("key") {
            request.setValue("1", forHTTPHeaderField: "Idempotency-Key")
        }

        let outcome = await session(.exchange).outcome(of: request, asStream: asStream)

        #expect(outcome == .error(.networkConnectionLost))
        #expect(server.count == row.count)
    }

    @Test func sendsABodyAfterAPasswordOnce() async throws {
        final class Delegate: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession, task: URLSessionTask,
                didReceive challenge: URLAuthenticationChallenge,
                completionHandler:
                    @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) ->
                    Void
            ) {
                completionHandler(
                    .useCredential,
                    URLCredential(user: "Emma", password: "secret", persistence: .none))
            }
        }
        let server = try ClosingServer(closing: .afterTheBody)
        let session = URLSession(
            configuration: .withoutProxy, delegate: Delegate(), delegateQueue: nil)
        var request = URLRequest(url: server.url.appending(path: "challenged"))
        request.httpMethod = "POST"

        for number in 0..<10 {
            request.setValue("\(number)", forHTTPHeaderField: "X-Number")
            #expect(
                await session.outcome(of: request, asStream: number.isMultiple(of: 2))
                    == .error(.networkConnectionLost))
        }

        // Without the password, and with it.
        #expect(server.readCounts.values.allSatisfy { $0 == 2 })
    }

    @Test(arguments: [false, true])
    func sendsAMockedRequestOnce(_ asStream: Bool) async throws {
        let network = MockNetwork()
        network.stub(.any, .error(.networkConnectionLost), times: .any)
        var request = URLRequest.test("a")
        request.httpMethod = "PUT"
        request.httpBody = Data("body".utf8)

        let outcome = await network.urlSession.outcome(of: request, asStream: asStream)

        #expect(outcome == .error(.networkConnectionLost))
        #expect(network.requests.count == 1)
    }

    private func session(_ way: Way) -> URLSession {
        let configuration = URLSessionConfiguration.withoutProxy
        configuration.timeoutIntervalForRequest = 20
        if way == .exchangeWithoutCache { configuration.urlCache = nil }
        return URLSession(configuration: configuration)
    }
}
#endif
