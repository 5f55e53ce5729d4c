import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct CoalescingCancellationTests {
    let network = MockNetwork()

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func cancelsOneAlone() async throws {
        let mayAnswer = Gate()
        network.stub(.any) { _ in
            await mayAnswer.wait()
            return .text("answer")
        }
        let session = network.coalescing()
        let executor = QueueExecutor(isSerial: true)
        let loader = APIRequestLoader(apiRequest: TextRequest(), urlSession: session)
        // The first caller started the exchange.
        let first = executor.start { try await session.exchange(.test("a")).0.text }
        let second = executor.start { try await session.exchange(.test("a")).0.text }
        let third = executor.start { try await loader.load("/a") }
        await executor.settle()

        first.cancel()
        let error = await #expect(throws: URLError.self) { try await first.value }
        third.cancel()
        let loadError = await #expect(throws: APIRequestError.self) { try await third.value }
        mayAnswer.open()

        #expect(error?.code == .cancelled)
        #expect(loadError?.isCancellation == true)
        #expect(try await second.value == "answer")
        #expect(network.requests.map(\.wasCancelled) == [false])
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func cancelsTheExchangeWithTheLast() async throws {
        let arrived = Gate()
        let ended = Gate()
        network.stub(.get("/a"), times: .exactly(1)) { _ in
            arrived.open()
            defer { ended.open() }
            return try await waitForCancellation()
        }
        let session = network.coalescing()
        let executor = QueueExecutor(isSerial: false)
        let tasks = (0..<10).map { _ in executor.start { try await session.exchange(.test("a")) } }
        await executor.settle()
        await arrived.wait()

        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: URLError.self) { try await task.value } }
        // A new caller gets its own exchange, whatever happens to the cancelled exchange.
        network.stub(.get("/a"), .text("second"))
        #expect(try await session.exchange(.test("a")).0.text == "second")

        await ended.wait()
        #expect(network.requests.count == 2)
    }

    @Test func givesEachItsOwnUnderCancellation() async throws {
        network.stub(.get("/{n}")) { request in
            await Task.yield()
            return .text(request.pathValues["n"]!)
        }
        let session = network.urlSession.coalescing()

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                let name = "\(number / 100)"
                let task = Task { try await session.exchange(.test(name)).0.text }
                group.addTask {
                    if number.isMultiple(of: 3) { task.cancel() }
                    do {
                        #expect(try await task.value == name)
                    } catch {
                        #expect((error as? URLError)?.code == .cancelled)
                        #expect(number.isMultiple(of: 3))
                    }
                }
            }
        }
    }
}
