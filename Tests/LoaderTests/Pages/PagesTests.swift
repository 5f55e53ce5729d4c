import APIKitLite
import APIKitLiteTesting
import TestSupport

@Suite(.limited, .usesSockets) struct PagesTests {
    private let network = MockNetwork()

    private func stubThreePages() {
        for (page, numbers) in [(1, "[1, 2]"), (2, "[3]"), (3, "[]")] {
            network.stub(.get("/numbers/\(page)"), .json(numbers), times: .any)
        }
    }

    @Test func loadsOnePageAfterAnother() async throws {
        stubThreePages()
        let sequence = network.pages(NumbersRequest(), from: 1)
        // It can be walked twice.
        for _ in 1...2 {
            let pages = try await sequence.all()
            #expect(pages.map(\.value) == [[1, 2], [3], []])
            #expect(pages.map(\.next) == [2, 3, nil])
        }
    }

    @Test func loadsTheElements() async throws {
        stubThreePages()
        #expect(try await network.pages(NumbersRequest(), from: 1).elements.all() == [1, 2, 3])
        #expect(try await network.pages(NumbersRequest(), from: 2).elements({ $0 }).all() == [3])
    }

    @Test func loadsWhatAFunctionReturns() async throws {
        struct Closed: Error, Equatable {}
        let failures = Locked<[Int]>([])
        let pages = Pages(from: 1) { page in
            if failures.withLock({ $0.popLast() }) == page { throw Closed() }
            return (String(repeating: "a", count: page), page < 4 ? page + 1 : nil)
        }

        #expect(try await pages.elements({ $0 }).all().count == 10)
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
        let numbers = network.pages(NumbersRequest(), from: 1).elements
        for try await number in numbers where number == 2 { break }
        #expect(network.requests.count == 1)
    }

    @Test func followsACursor() async throws {
        network.stub(.get("/items"), .json(#"{"items": ["a", "b"], "next": "x"}"#))
        network.stub(.get("/items").query(["cursor": "x"]), .json(#"{"items": [], "next": "y"}"#))
        network.stub(.get("/items").query(["cursor": "y"]), .json(#"{"items": ["c"]}"#))
        // An iteration that starts in the middle ends at the same place.
        for (start, expected) in [(nil, ["a", "b", "c"]), ("y", ["c"])] {
            let items = network.pages(CursorRequest(), from: start).elements({ $0.items })
            #expect(try await items.all() == expected)
        }
        #expect(network.requests.count == 4)
    }

    @Test func aLinkThatCannotBeReadIsNoEnd() async throws {
        struct LinkedRequest: PagedAPIRequest {
            typealias ResponseDataType = [Int]
            func makeRequest(from url: URL) -> URLRequest { URLRequest(url: url) }
            func nextInput(after page: [Int], response: HTTPURLResponse, from url: URL) -> URL? {
                response.link("next")
            }
        }
        /// A request whose first page has no URL.
        struct StartingRequest: PagedAPIRequest {
            typealias ResponseDataType = [Int]
            func makeRequest(from url: URL?) -> URLRequest {
                URLRequest(url: url ?? .api.appending(path: "b"))
            }
            func nextInput(after page: [Int], response: HTTPURLResponse, from url: URL?) -> URL?? {
                response.link("next")
            }
        }
        let link = #"<https://api.example.com/b>; rel="next""#
        let broken = #"https://api.example.com/c; rel="next""#
        network.stub(.get("/a"), MockResponse.json("[1]").header("Link", link), times: .any)
        let cut = MockResponse.json("[2]").header("Link", broken)
        network.stub(.get("/b"), cut, cut, .json("[2]"))
        #expect(await network.pages(StartingRequest(), from: nil).outcome().error?.stage == .parse)

        let pages = network.pages(LinkedRequest(), from: URL.api.appending(path: "a"))
        let outcome = await pages.outcome()
        #expect(outcome.elements.map(\.value) == [[1]])
        #expect(outcome.error?.stage == .parse)
        #expect(outcome.error?.requestType == "LinkedRequest")
        #expect(outcome.error?.request?.url?.path == "/b")
        #expect(outcome.error?.data?.text == "[2]")
        #expect(outcome.error?.description.contains(broken) == true)
        #expect(try await pages.elements.all() == [1, 2])
    }

    /// The rule of this list is that an empty page is the last one.
    @Test func aLinkThatTheRuleDoesNotReadMayBeMalformed() async throws {
        let page = MockResponse.json("[]").header("Link", #"https://h/u?page=2; rel="next""#)
        network.stub(.get("/numbers/1"), page)
        #expect(try await network.pages(NumbersRequest(), from: 1).all().map(\.value) == [[]])
    }

    @Test func endsAtARepeatedInput() async throws {
        network.stub(.any) { request in
            let isLast = request.query["cursor"] == "y"
            return .json(#"{"items": ["i"], "next": "\#(isLast ? "x" : "y")"}"#)
        }
        let pages = try await network.pages(CursorRequest(), from: "x").all()
        #expect(pages.map(\.next) == ["y", .none])
    }

    @Test(arguments: [(0, 0), (-1, 0), (1, 1), (7, 7)])
    func endsAtTheLimit(_ limit: Int, _ count: Int) async throws {
        network.stub(.any, .json("[1]"), times: .any)
        let pages = network.pages(NumbersRequest(), from: 1, limit: limit)
        #expect(try await pages.all().last?.next == (count == 0 ? nil : count + 1))
        #expect(try await pages.elements.all().count == count)
        #expect(network.requests.count == 2 * count)
    }

    @Test func endsAThousandEmptyPages() async throws {
        let count = Locked(0)
        network.stub(.any) { _ in .json(#"{"items": [], "next": "\#(count.next())"}"#) }
        let items = network.pages(CursorRequest(), from: nil).elements({ $0.items })
        #expect(try await items.all().isEmpty)
        #expect(network.requests.count == 1_000)
    }

    @Test func triesAPageThatFailedAgain() async throws {
        network.stub(.get("/numbers/1"), .json("[1, 2]"), times: .once)
        network.stub(.get("/numbers/2"), .error(.networkConnectionLost), .status(500), .json("[3]"))
        network.stub(.get("/numbers/3"), .json("[]"), times: .once)
        var elements = network.pages(NumbersRequest(), from: 1).elements.makeAsyncIterator()
        for number in 1...2 { #expect(try await elements.next() == number) }

        let first = await #expect(throws: APIRequestError.self) { try await elements.next() }
        let second = await #expect(throws: APIRequestError.self) { try await elements.next() }
        #expect(first?.stage == .transport)
        #expect(second?.statusCode == 500)
        #expect(second?.request?.url?.path == "/numbers/2")
        for number in [3, nil, nil] { #expect(try await elements.next() == number) }
        try network.verify()
    }

    @Test func endsWithItsTask() async throws {
        let arrived = Gate()
        network.stub(.get("/numbers/1"), .json("[1]"))
        network.stub(.get("/numbers/2")) { _ in
            arrived.open()
            return try await waitForCancellation()
        }
        let pages = network.pages(NumbersRequest(), from: 1)
        let task = Task { await pages.outcome() }
        await arrived.wait()
        task.cancel()

        #expect(await task.value.elements.count == 1)
        #expect(await task.value.error?.isCancellation == true)
        #expect(network.requests.map(\.wasCancelled) == [false, true])
    }
}

@Suite(.limited) struct SessionPagesTests {
    private let network = MockNetwork()
    private var session: any HTTPSession { network }

    init() {
        network.stub(.get("/numbers/{page}")) { request in
            request.pathValues["page"] == "3" ? .json("[]") : .json("[1, 2]")
        }
    }

    @Test @MainActor func parsesInTheBackground() async throws {
        let pages = session.pages(PlacesRequest(), from: 1)
        #expect(try await pages.elements.all() == [.background])
        #expect(try await pages.all().map(\.value) == [[.background]])
    }

    @Test @MainActor func aFunctionRunsOnTheActorOfItsReader() async throws {
        let pages = Pages(from: 1) { page in
            try Task.checkCancellation()
            return (RunningPlace.current, page < 2 ? page + 1 : nil)
        }.makeAsyncIterator()
        #expect(try await pages.next()?.value == .mainActor)
        #expect(try await pages.next()?.value == .mainActor)
    }

    /// A list that is scrolled may ask twice before the page has arrived.
    @Test @MainActor func callsThatOverlapLoadOnePageAfterAnother() async throws {
        let held = network.stub(.get("/numbers/1"), MockResponse.json("[1]").held, times: .once)
        let pages = session.pages(NumbersRequest(), from: 1).makeAsyncIterator()

        let calls = (1...3).map { _ in Task { try await pages.next()?.next } }
        await held.waitForRequests()
        #expect(network.requests.count == 1)
        held.release()
        // Any of the calls may be the first one.
        var following: Set<Int?> = []
        for call in calls { following.insert(try await call.value) }
        #expect(following == [2, 3, nil])
        #expect(network.requests.map(\.path) == ["/numbers/1", "/numbers/2", "/numbers/3"])
    }

    /// A call that is cancelled while another one loads neither loads nor skips a page.
    @Test @MainActor func aCancelledCallLeavesThePageToTheNextOne() async throws {
        let held = network.stub(.get("/numbers/1"), MockResponse.json("[1]").held, times: .once)
        let pages = session.pages(NumbersRequest(), from: 1).makeAsyncIterator()

        let first = Task { try await pages.next()?.next }
        await held.waitForRequests()
        let cancelled = Task { try await pages.next()?.next }
        cancelled.cancel()
        held.release()

        let error = await #expect(throws: APIRequestError.self) { try await cancelled.value }
        #expect(error?.isCancellation == true)
        #expect(try await first.value == 2)
        #expect(try await pages.next()?.next == 3)
        #expect(network.requests.count == 2)
    }

    @Test @MainActor func aCancelledCallWaitsForItsTurn() async throws {
        let (isLoading, mayLoad) = (Gate(), Gate())
        // It ignores its cancellation.
        let pages = Pages(from: 1) { page throws in
            isLoading.open()
            await Task { await mayLoad.wait() }.value
            return (page, page < 3 ? page + 1 : nil)
        }.makeAsyncIterator()

        let first = Task { try await pages.next()?.value }
        await isLoading.wait()
        let cancelled = Task { try await pages.next()?.value }
        cancelled.cancel()
        mayLoad.open()
        #expect(try await first.value == 1)
        #expect(try await cancelled.value == 2)
        #expect(try await pages.next()?.value == 3)
        #expect(try await pages.next() == nil)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test @MainActor func parsesOnTheActorWithoutConstraints() async throws {
        func places<R: PagedAPIRequest>(
            _ request: R, from first: R.RequestDataType
        ) async throws -> [RunningPlace] where R.ResponseDataType == [RunningPlace] {
            let pages = session.pages(request, from: first)
            return try await pages.elements.all() + pages.all().flatMap(\.value)
        }

        #expect(try await places(PlacesRequest(), from: 1) == [.mainActor, .mainActor])
    }
}

/// One page, which holds where it was parsed.
private struct PlacesRequest: PagedAPIRequest {
    func makeRequest(from page: Int) throws -> URLRequest { .test("numbers/\(page)") }
    func parseResponse(data: Data) throws -> [RunningPlace] { [.current] }
    func nextInput(after _: [RunningPlace], response: HTTPURLResponse, from page: Int) -> Int? {
        nil
    }
}

/// Pages by number, each a list of numbers; an empty one is the last.
struct NumbersRequest: PagedAPIRequest {
    typealias ResponseDataType = [Int]

    func makeRequest(from page: Int) throws -> URLRequest { .test("numbers/\(page)") }

    func nextInput(after numbers: [Int], response: HTTPURLResponse, from page: Int) -> Int? {
        numbers.isEmpty ? nil : page + 1
    }
}

/// Pages by a cursor that the first page does not have.
struct CursorRequest: PagedAPIRequest {
    typealias ResponseDataType = Page
    struct Page: Decodable, Sendable {
        var items: [String]
        var next: String?
    }

    func makeRequest(from cursor: String?) throws -> URLRequest {
        try URLRequest("GET", .api, path: "/items", query: ["cursor": cursor])
    }

    func nextInput(after page: Page, response: HTTPURLResponse, from _: String?) -> String?? {
        page.next
    }
}
