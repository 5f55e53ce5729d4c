import APIKitLite
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Servers behind TLS that read a POST and close the connection without an answer. Each request is
/// processed once at most, and none waits for its timeout.
@Suite(.limited, .needsTLS, .usesSockets) struct TLSRepetitionTests {
    private let count = 200
    private let session: URLSession = {
        let configuration = URLSessionConfiguration.withoutProxy
        configuration.timeoutIntervalForRequest = 20
        return URLSession(configuration: configuration)
    }()

    @Test func sendsAPOSTOnceOverHTTP1() async throws {
        let server = try ClosingServer(closing: .afterTheBody)

        let outcomes = await outcomes(of: request(.bytes, to: server.url))

        #expect(Set(outcomes.keys) == [.body("3"), .error(.networkConnectionLost)])
        #expect(server.readCounts.count == count)
        #expect(server.readCounts.values.allSatisfy { $0 == 1 })
    }

    @Test(arguments: HTTP2Server.End.allCases)
    func sendsAPOSTOnceOverHTTP2(_ end: HTTP2Server.End) async throws {
        let server = try HTTP2Server(ending: end)

        let outcomes = await outcomes(of: request(.bytesHTTP2, to: server.url))

        #expect(Set(outcomes.keys) == [.body(""), .error(.networkConnectionLost)])
        #expect(server.readCounts.count >= outcomes[.body(""), default: 0])
        #expect(server.emptyCount == 0)
        #expect(server.readCounts.values.allSatisfy { $0 == 1 })
    }

    @Test func sendsAPOSTWithoutABodyOnceOverHTTP1() async throws {
        let server = try ClosingServer(closing: .afterTheBody)

        let outcomes = await outcomes(of: request(.bytes, to: server.url), .none)

        #expect(Set(outcomes.keys) == [.body("0"), .error(.networkConnectionLost)])
        #expect(server.readCounts.count == count)
        #expect(server.readCounts.values.allSatisfy { $0 == 1 })
    }

    @Test(arguments: HTTP2Server.End.allCases)
    func sendsAPOSTWithoutABodyOnceOverHTTP2(_ end: HTTP2Server.End) async throws {
        let server = try HTTP2Server(ending: end)

        let outcomes = await outcomes(of: request(.bytesHTTP2, to: server.url), .none)

        #expect(Set(outcomes.keys) == [.body(""), .error(.networkConnectionLost)])
        #expect(server.emptyCount <= count)
    }

    @Test(arguments: HTTP2Server.End.allCases)
    func sendsNoEmptyBodyInPlaceOfAStream(_ end: HTTP2Server.End) async throws {
        let server = try HTTP2Server(ending: end)

        let outcomes = await outcomes(of: request(.bytesHTTP2, to: server.url), .stream)

        #expect(Set(outcomes.keys) == [.body(""), .error(.networkConnectionLost)])
        #expect(server.emptyCount == 0)
        #expect(server.readCounts.values.allSatisfy { $0 == 1 })
    }

    private func request(_ front: TLSFront, to server: URL) -> URLRequest {
        var request = URLRequest(url: front.url(to: server))
        request.httpMethod = "POST"
        return request
    }

    private enum Body { case none, data, stream }

    /// Sends the request many times, each time with another number as its body.
    private func outcomes(
        of request: URLRequest, _ kind: Body = .data
    ) async -> [ExchangeOutcome: Int] {
        var outcomes: [ExchangeOutcome: Int] = [:]
        for number in 100..<100 + count {
            var request = request
            let body = Data("\(number)".utf8)
            switch kind {
            case .none: break
            case .data: request.httpBody = body
            case .stream: request.httpBodyStream = InputStream(data: body)
            }
            request.setValue("\(number)", forHTTPHeaderField: "X-Number")
            outcomes[await session.outcome(of: request), default: 0] += 1
        }
        return outcomes
    }
}
