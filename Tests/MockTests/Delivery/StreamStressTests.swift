import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct StreamStressTests {
    @Test(arguments: [(Transport.direct, 300), (.urlProtocol, 100), (.loopback, 100)])
    func noWriterIsLeftOver(_ transport: Transport, _ count: Int) async throws {
        let network = MockNetwork()
        let (session, baseURL) = try transport.open(network)
        let running = Locked(0)
        network.stub(
            .any,
            .stream { writer in
                running.withLock { $0 += 1 }
                defer { running.withLock { $0 -= 1 } }
                for number in 0..<8 {
                    try await writer.send("\(number)")
                    if number == 5 { await Task.yield() }
                }
            })
        let whole = Locked(0)

        for start in stride(from: 0, to: count, by: 100) {
            await withTaskGroup { group in
                for number in start..<start + 100 {
                    group.addTask {
                        let reader = Task {
                            let (body, _) = try await session.stream(URLRequest(url: baseURL))
                            var text = ""
                            for try await piece in body {
                                text += piece.text
                                if number % 3 == 1, text.count > number % 7 { return }
                            }
                            #expect(text == "01234567")
                            whole.withLock { $0 += 1 }
                        }
                        if number % 3 == 2 {
                            for _ in 0..<number % 50 { await Task.yield() }
                            reader.cancel()
                        }
                        _ = await reader.result
                    }
                }
            }
        }
        await yieldWhile { running.withLock({ $0 }) > 0 }

        #expect(whole.withLock { $0 } >= count / 3)
        await yieldWhile { network.requests.contains(where: { $0.endTime == nil }) }
        try network.verify()
    }
}
