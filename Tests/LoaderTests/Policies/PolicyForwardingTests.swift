import APIKitLite
import Foundation
import TestSupport
import Testing

/// A policy, and a session of one's own that conforms to `SessionPolicy`, forwards what it does not
/// do itself.
@Suite(.limited) struct PolicyForwardingTests {
    @Test func informsTheSessionInsideOfARejectedLoad() async throws {
        struct Listening: HTTPSession {
            let stages = Locked<[APIRequestError.Stage]>([])
            func send(
                _ request: URLRequest, awaiting part: ResponsePart
            ) async throws -> (HTTPBody, HTTPURLResponse) {
                (HTTPBody(Data()), HTTPURLResponse())
            }
            func loadDidFail(_ error: APIRequestError) {
                stages.withLock { $0.append(error.stage) }
            }
        }

        struct LanguageSession: SessionPolicy {
            let next: any HTTPSession
            func send(
                _ request: URLRequest, awaiting part: ResponsePart
            ) async throws -> (HTTPBody, HTTPURLResponse) {
                try await next.send(request.header("Accept-Language", "fr"), awaiting: part)
            }
        }

        let inside = Listening()
        let session: any HTTPSession = LanguageSession(next: inside).limited(to: 1).coalescing()
            .authenticated(by: .bearer("token", for: URL(string: "https://api.example.com")!))

        session.loadDidFail(APIRequestError(stage: .parse, underlying: TestError()))

        #expect(inside.stages.withLock { $0 } == [.parse])
    }
}
