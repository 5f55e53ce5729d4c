import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct PagesTests {
    let network = MockNetwork()

    private var session: MockNetwork { network }

    private func stubThreePages() {
        network.stub(.get("/numbers/1"), .json("[1, 2]"), times: .any)
        network.stub(.get("/numbers/2"), .json("[3]"), times: .any)
        network.stub(.get("/numbers/3"), .json("[]"), times: .any)
    }

    @Test func loadsOnePageAfterAnother() async throws {
        stubThreePages()

        let sequence = session.pages(NumbersRequest(), from: 1)
        // It can be walked twice.
        for _ in 1...2 {
            var pages: [Pages<Int, [Int], APIRequestError>.Page] = []
            for try await page in sequence { pages.append(page) }

            #expect(pages.map(\.input) == [1, 2, 3])
            #expect(pages.map(\.value) == [[1, 2], [3], []])
            #expect(pages.map(\.next) == [2, 3, nil])
        }
    }

    @Test func loadsTheElements() async throws {
        stubThreePages()

        var all: [Int] = []
        for try await number in session.pages(NumbersRequest(), from: 1).elements {
            all.append(number)
        }
        for try await number in session.pages(NumbersRequest(), from: 2).elements({ $0 }) {
            all.append(number)
        }

        #expect(all == [1, 2, 3, 3])
    }

    @Test func loadsWhatAFunctionReturns() async throws {
        struct Closed: Error, Equatable {}
        let failures = Locked([3])
        let loaded = Locked<[Int]>([])
        let pages = Pages(from: 1) { page in
            loaded.withLock { $0.append(page) }
            if failures.withLock({ $0.popLast() }) == page { throw Closed() }
            return (String(repeating: "a", count: page), page < 4 ? page + 1 : nil)
        }

        #expect(try await pages.elements({ $0 }).reduce(0) { sum, _ in sum + 1 } == 10)
        failures.withLock { $0 = [3] }
        let iterator = pages.makeAsyncIterator()
        #expect(try await iterator.next()?.value == "a")
        #expect(try await iterator.next()?.next == 3)
        failures.withLock { $0 = [3] }
        await #expect(throws: Closed()) { try await iterator.next() }
        #expect(try await iterator.next()?.value == "aaa")
        #expect(try await iterator.next()?.next == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test func loadsNothingBeforeItIsAskedFor() async throws {
        stubThreePages()
        let numbers = session.pages(NumbersRequest(), from: 1).elements
        for try await number in numbers where number == 2 { break }
        #expect(network.requests.count == 1)
    }

    @Test func followsACursor() async throws {
        network.stub(.get("/items"), .json(#"{"items": ["a", "b"], "next": "x"}"#))
        network.stub(.get("/items").query(["cursor": "x"]), .json(#"{"items": [], "next": "y"}"#))
        network.stub(.get("/items").query(["cursor": "y"]), .json(#"{"items": ["c"]}"#))

        var items: [String] = []
        for try await item in session.pages(CursorRequest(), from: nil).elements({ $0.items }) {
            items.append(item)
        }
        #expect(items == ["a", "b", "c"])
        #expect(network.requests.count == 3)

        // An iteration that starts in the middle ends at the same place.
        for try await item in session.pages(CursorRequest(), from: "y").elements({ $0.items }) {
            items.append(item)
        }
        #expect(items == ["a", "b", "c", "c"])
    }

    @Test func endsAtARepeatedInput() async throws {
        network.stub(.any) { request in
            let isLast = request.query["cursor"] == "y"
            return .json(#"{"items": ["i"], "next": "\#(isLast ? "x" : "y")"}"#)
        }

        var nexts: [String??] = []
        for try await page in session.pages(CursorRequest(), from: "x") { nexts.append(page.next) }
        #expect(nexts == ["y", .none])
    }

    @Test(arguments: [(0, 0), (-1, 0), (1, 1), (7, 7)])
    func endsAtTheLimit(_ limit: Int, _ count: Int) async throws {
        network.stub(.any, .json("[1]"), times: .any)

        var last: Pages<Int, [Int], APIRequestError>.Page?
        for try await page in session.pages(NumbersRequest(), from: 1, limit: limit) { last = page }
        var elements = 0
        for try await _ in session.pages(NumbersRequest(), from: 1, limit: limit).elements {
            elements += 1
        }

        #expect(network.requests.count == 2 * count)
        #expect(elements == count)
        #expect(last?.next == (count == 0 ? nil : count + 1))
    }

    @Test func endsAThousandEmptyPages() async throws {
        let count = Locked(0)
        network.stub(.any) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .json(#"{"items": [], "next": "\#(number)"}"#)
        }

        for try await _ in session.pages(CursorRequest(), from: nil).elements({ $0.items }) {}
        #expect(network.requests.count == 1_000)
    }

    @Test func triesAPageThatFailedAgain() async throws {
        network.stub(.get("/numbers/1"), .json("[1, 2]"), times: .once)
        network.stub(.get("/numbers/2"), .error(.networkConnectionLost), .status(500), .json("[3]"))
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
