#if os(Linux)
@testable import APIKitLite
import APIKitLiteTesting
import TestSupport

/// What `Platform/` repairs, over `URLSession.shared` in a process that has no other session.
@Suite(.limited, .usesSockets) struct FirstSessionTests {
    @Test func readsEachRequestOnce() async {
        await #expect(processExitsWith: .success) {
            try await withFirstSession { session in
                await forEachRow(PeerFaultTests.rows) { row, comment in
                    for asStream in [false, true] {
                        try await row.check(over: session, asStream: asStream, comment)
                    }
                }
            }
        }
    }

    @Test func endsALargeBodyAtItsLimit() async {
        await #expect(processExitsWith: .success) {
            let server = try LargeServer()
            try await withFirstSession { session in
                await #expect(throws: TransportError.bodyTooLarge(limit: 1 << 20)) {
                    try await session.limitingBodies(to: 1 << 20)
                        .exchange(URLRequest(url: server.url))
                }
                await server.hasEnded.wait()
            }
        }
    }
}

/// The same over TLS.
@Suite(.limited, .needsTLS, .usesSockets) struct TLSFirstSessionTests {
    @Test func readsEachPOSTOnce() async {
        await #expect(processExitsWith: .success) {
            try await withFirstSession { session in
                await forEachRow(TLSPeerFaultTests.ends) { end, comment in
                    for body in TLSPeerFaultTests.Body.allCases {
                        try await TLSPeerFaultTests.check(
                            end, body, over: session, count: 20, comment)
                    }
                }
            }
        }
    }
}
#endif
