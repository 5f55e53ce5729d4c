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
        #expect(server.readCounts.values.allSatisfy { $0 == 1 })
    }

    @Test(arguments: HTTP2Server.End.allCases)
    func sendsNoEmptyBodyInPlaceOfAStream(_ end: HTTP2Server.End) async throws {
        let server = try HTTP2Server(ending: end)

        let outcomes = await outcomes(of: request(.bytesHTTP2, to: server.url), asStream: true)

        #expect(Set(outcomes.keys) == [.body(""), .error(.networkConnectionLost)])
        #expect(server.emptyCount == 0)
        #expect(server.readCounts.values.allSatisfy { $0 == 1 })
    }

    private func request(_ front: TLSFront, to server: URL) -> URLRequest {
        var request = URLRequest(url: front.url(to: server))
        request.httpMethod = "POST"
        return request
    }

    /// Sends the request many times, each time with another number as its body.
    private func outcomes(
        of request: URLRequest, asStream: Bool = false
    ) async -> [ExchangeOutcome: Int] {
        var outcomes: [ExchangeOutcome: Int] = [:]
        for number in 100..<100 + count {
            var request = request
            let body = Data("\(number)".utf8)
            if asStream {
                request.httpBodyStream = InputStream(data: body)
            } else {
                request.httpBody = body
            }
            request.setValue("\(number)", forHTTPHeaderField: "X-Number")
            outcomes[await session.outcome(of: request), default: 0] += 1
        }
        return outcomes
    }
}
