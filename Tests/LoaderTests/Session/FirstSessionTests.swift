#if os(Linux)
@testable import APIKitLite
import APIKitLiteTesting
import FoundationNetworking
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

    @Test func loadsAndStreamsWhatComesInChunks() async {
        await #expect(processExitsWith: .success) {
            let network = MockNetwork()
            network.stub(.get("/body"), .chunks(["one ", "two"]), times: .any)
            network.stub(.get("/moved"), .redirect(to: "/body"), times: .any)
            let mayEnd = Gate()
            network.stub(
                .get("/slow"),
                .stream { body in
                    try await body.send("one ")
                    await mayEnd.wait()
                    try await body.send("two")
                })
            let url = try network.serve().url
            try await withFirstSession { session in
                for path in ["body", "moved"] {
                    let request = URLRequest(url: url.appending(path: path))
                    for asStream in [false, true] {
                        let outcome = await session.outcome(of: request, asStream: asStream)
                        #expect(outcome == .body("one two"), "\(path)")
                    }
                }
                let slow = URLRequest(url: url.appending(path: "slow"))
                var pieces = try await session.stream(slow).0.makeAsyncIterator()
                #expect(try await pieces.next()?.text == "one ")
                mayEnd.open()
                #expect(try await pieces.next()?.text == "two")
                #expect(try await pieces.next() == nil)
            }
        }
    }

    /// Foundation would wait forever.
    @Test func endsAtARefusedCredential() async {
        await #expect(processExitsWith: .success) {
            let network = MockNetwork()
            network.stub(
                .any, .status(401).header("WWW-Authenticate", #"Basic realm="test""#), times: .any)
            let request = URLRequest(url: try network.serve().url)
            try await withFirstSession { session in
                let responses = [
                    try await session.exchange(request).1, try await session.stream(request).1,
                ]
                #expect(responses.map(\.statusCode) == [401, 401])
            }
        }
    }

    @Test func survivesCancellations() async {
        await #expect(processExitsWith: .success) {
            let network = MockNetwork()
            network.stub(.any, .text("hello"), times: .any)
            let request = URLRequest(url: try network.serve().url)
            try await withFirstSession { session in
                try await concurrently(12) { worker in
                    for index in 0..<60 {
                        let task = Task { await session.outcome(of: request) }
                        for _ in 0..<(index + worker) % 50 { await Task.yield() }
                        task.cancel()
                        #expect([.body("hello"), .error(.cancelled)].contains(await task.value))
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
