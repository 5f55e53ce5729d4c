import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct PagesFailureTests {
    let network = MockNetwork()

    private var session: MockURLSession { MockURLSession(network) }

    @Test func triesAPageThatFailedAgain() async throws {
        network.stub(.get("/numbers/1"), .json("[1, 2]"), times: .once)
        network.stub(
            .get("/numbers/2"), .error(.networkConnectionLost), .status(500), .json("[3]"))
        network.stub(.get("/numbers/3"), .json("[]"), times: .once)
        var elements = session.pages(NumbersRequest(), from: 1).elements.makeAsyncIterator()
        #expect(try await elements.next() == 1)
        #expect(try await elements.next() == 2)

        let first = await #expect(throws: APIRequestError.self) { try await elements.next() }
        let second = await #expect(throws: APIRequestError.self) { try await elements.next() }

        #expect(first?.stage == .transport)
        #expect(second?.statusCode == 500)
        #expect(second?.request?.url?.path == "/numbers/2")
        #expect(try await elements.next() == 3)
        #expect(try await elements.next() == nil)
        #expect(try await elements.next() == nil)
        try network.verify()
    }

    @Test func endsWithItsTask() async throws {
        let arrived = Gate()
        network.stub(.get("/numbers/1"), .json("[1]"))
        network.stub(.get("/numbers/2")) { _ in
            arrived.open()
            return try await waitForCancellation()
        }
        let pages = session.pages(NumbersRequest(), from: 1)
        let task = Task {
            var count = 0
            do {
                for try await _ in pages { count += 1 }
            } catch {
                #expect((error as? APIRequestError)?.isCancellation == true)
            }
            return count
        }
        await arrived.wait()
        task.cancel()

        #expect(await task.value == 1)
        #expect(network.requests.map(\.wasCancelled) == [false, true])
    }
}
