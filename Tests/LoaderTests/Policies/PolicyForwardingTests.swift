import APIKitLite
import Foundation
import TestSupport
import Testing

/// What a policy has no say in goes to the session inside.
@Suite(.timeLimit(.minutes(5))) struct PolicyForwardingTests {
    @Test func tellsTheSessionInsideOfALostLoad() async throws {
        struct Listening: HTTPSession {
            let stages = Locked<[APIRequestError.Stage]>([])
            func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
                (Data(), HTTPURLResponse())
            }
            func loadDidFail(_ error: APIRequestError) {
                stages.withLock { $0.append(error.stage) }
            }
        }

        let inside = Listening()
        let session: any HTTPSession = inside.limited(to: 1).coalescing()
            .authenticated(by: .bearer("token", for: URL(string: "https://api.example.com")!))

        session.loadDidFail(APIRequestError(stage: .parse, underlying: TestError()))

        #expect(inside.stages.withLock { $0 } == [.parse])
    }
}
