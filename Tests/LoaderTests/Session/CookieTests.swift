import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An answer sets a cookie that is replaced or deleted before its body has ended.
@Suite(.limited, .usesManySockets) struct CookieTests {
    private let network = MockNetwork()
    private let configuration = URLSessionConfiguration.withoutProxy

    @Test(arguments: CookieChange.allCases, [true, false])
    func isStoredOnce(_ change: CookieChange, _ isStream: Bool) async throws {
        let server = try network.serve()

        let values = try await change.storedValues(
            network, over: URLSession(configuration: configuration),
            in: try #require(configuration.httpCookieStorage), asStream: isStream, hasOld: false
        ) { server.url.appending(path: $0) }
        #expect(values == change.expectedValues)
    }
}

/// The same over TLS. Foundation on Linux stores no cookie of HTTP/2.
@Suite(.limited, .needsTLS, .usesManySockets) struct TLSCookieTests {
    @Test(arguments: TLSTests.versions, CookieChange.allCases)
    func isStoredOnce(_ front: TLSFront, _ change: CookieChange) async throws {
        for isStream in [true, false] {
            let network = MockNetwork()
            let server = try network.serve()
            let configuration = URLSessionConfiguration.withoutProxy

            // A task with a completion handler shows the headers of HTTP/2 at the end of the body.
            let values = try await change.storedValues(
                network, over: URLSession(configuration: configuration),
                in: try #require(configuration.httpCookieStorage), asStream: isStream,
                hasOld: front == .http2, storesAtHeaders: front == .http1
            ) { front.url(to: server.url, "/" + $0) }

            #expect(values == change.expectedValues, "as a stream: \(isStream)")
        }
    }
}
