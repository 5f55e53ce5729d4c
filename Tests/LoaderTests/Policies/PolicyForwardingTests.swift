import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A load finds the sessions that a policy wraps, and those inside a `SessionPolicy` of one's own.
@Suite(.limited) struct PolicyForwardingTests {
    @Test func informsAnObserverInsideOfARejectedLoad() async throws {
        struct LanguageSession: SessionPolicy {
            let next: any HTTPSession
            func send(
                _ request: URLRequest, awaiting options: SendOptions
            ) async throws -> (HTTPBody, HTTPURLResponse) {
                try await next.send(request.header("Accept-Language", "fr"), awaiting: options)
            }
        }

        let log = EventLog()
        let session: any HTTPSession = LanguageSession(next: FixedSession().observed(by: log))
            .limited(to: 1).coalescing().timingOut(after: .seconds(1)).retrying()
            .intercepting { request, next in try await next(request) }
            .authenticated(by: .bearer("token", for: URL(string: "https://api.example.com")!))

        let error = await #expect(throws: APIRequestError.self) {
            try await session.load(.test("a"), as: [Int].self)
        }
        #expect(error?.stage == .parse)
        #expect(log.lines.count == 3)
        #expect(log.lines.last?.hasPrefix("#1 GET ") == true)
        #expect(log.lines.last?.contains("stage .parse") == true)
    }
}
