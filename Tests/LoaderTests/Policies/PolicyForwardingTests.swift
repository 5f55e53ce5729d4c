import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A policy, and a session of one's own that conforms to `SessionPolicy`, forwards what it does not
/// do itself.
@Suite(.limited) struct PolicyForwardingTests {
    @Test func informsTheSessionInsideOfARejectedLoad() async throws {
        struct LanguageSession: SessionPolicy {
            let next: any HTTPSession
            func send(
                _ request: URLRequest, awaiting options: SendOptions
            ) async throws -> (HTTPBody, HTTPURLResponse) {
                try await next.send(request.header("Accept-Language", "fr"), awaiting: options)
            }
        }

        let log = EventLog()
        let session: any HTTPSession = LanguageSession(
            next: MockURLSession().observed(by: log)
        )
        .limited(to: 1).coalescing().timingOut(after: .seconds(1)).retrying()
        .intercepting { request, next in try await next(request) }
        .authenticated(by: .bearer("token", for: URL(string: "https://api.example.com")!))
        let error = APIRequestError(stage: .parse, underlying: TestError())

        session.loadDidFail(error)

        #expect(log.lines == [ExchangeEvent(rejected: error).description])
    }
}
