import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A timeout ends each stream and each download whose server is silent.
@Suite(.limited, .usesSockets) struct StreamTimeoutTests {
    enum Silence: CaseIterable {
        case beforeTheHead, afterARedirect, withinTheBody
    }

    @Test(arguments: Transport.allCases, Silence.allCases)
    func endsAStreamAndADownload(_ transport: Transport, _ silence: Silence) async throws {
        // This clock stands still.
        let network = MockNetwork(clock: MockClock())
        let late = MockResponse.text("late").delayed(by: .seconds(99))
        switch silence {
        case .beforeTheHead: network.stub(.get("/"), late, times: .any)
        case .afterARedirect:
            network.stub(.get("/"), .redirect(to: "/late"), times: .any)
            network.stub(.get("/late"), late, times: .any)
        case .withinTheBody:
            network.stub(.get("/"), .chunks(["a", "b"], every: .seconds(99)), times: .any)
        }
        let (session, baseURL) = try transport.open(network)
        let folder = try TemporaryFolder()
        let file = folder.file

        for isDownload in [false, true] {
            let clock = MockClock()
            let received = Locked(Int64(0))
            let limited = session.timingOut(after: .seconds(5), idle: .seconds(7), clock: clock)
            let transfer = Task {
                let request = URLRequest(url: baseURL.appending(path: "/"))
                if isDownload {
                    try await limited.fetch(
                        request, to: file,
                        progress: { count, _ in received.withLock { $0 = count } })
                } else {
                    var pieces: [String] = []
                    defer { #expect(pieces == (silence == .withinTheBody ? ["a"] : [])) }
                    for try await piece in try await limited.stream(request).0 {
                        pieces.append(piece.text)
                        received.withLock { $0 += Int64(piece.count) }
                    }
                }
            }
            switch silence {
            case .beforeTheHead: await network.waitForRequests(isDownload ? 2 : 1)
            case .afterARedirect: await network.waitForRequests(isDownload ? 4 : 2)
            case .withinTheBody:
                // The same deadline counts before the first piece and after it.
                await yieldWhile {
                    received.withLock { $0 } == 0 || clock.pendingDeadlines != [.seconds(7)]
                }
            }
            await clock.advance(by: .seconds(7))

            let error = await #expect(throws: URLError.self) { try await transfer.value }
            #expect(error?.code == .timedOut)
            #expect(clock.pendingDeadlines.isEmpty)
        }
        if transport != .loopback {
            await network.waitForResponses()
            #expect(network.requests.last?.wasCancelled == true)
        }
        #expect(folder.content == nil)
    }
}
