import TestSupport

@testable import APIKitLiteTesting

/// What happens to a request whose client leaves at a bad moment.
@Suite(.limited) struct ClientRequestTests {
    @Test func aClientThatLeavesAtARedirectSendsNoMore() {
        let network = MockNetwork(.redirect(to: "/b"), .text("arrived"))
        let leaving = Locked<ClientRequest?>(nil)
        let received = Locked<[ResponsePart]>([])
        let client = PlainClient { leaving.withLock { $0 }?.recordCancellation() }
        let request = ClientRequest(to: network.core, from: client) { part in
            received.withLock { $0.append(part) }
        }
        leaving.withLock { $0 = request }

        request.send(.test("a"))

        #expect(network.requests.map(\.path) == ["/a"])
        #expect(received.withLock(\.count) == 0)
    }

    /// A status from 300 to 399 with a location is a redirect.
    @Test(arguments: [(299, false), (300, true), (399, true), (400, false)])
    func asksTheClientAboutARedirect(_ status: Int, _ isRedirect: Bool) {
        let network = MockNetwork(.redirect(to: "/b", status: status), .text("arrived"))

        ClientRequest(to: network).send(.test("a"))

        #expect(network.requests.map(\.path) == (isRedirect ? ["/a", "/b"] : ["/a"]))
    }

    /// The body of a redirect that is followed is not read, and so takes no time.
    @Test func aRedirectDoesNotWaitForItsBody() {
        let slow = MockResponse.text("moved", status: 302, headers: ["Location": "/b"])
            .chunked(by: 1, every: .seconds(5))
        let network = MockNetwork(slow, .text("arrived"), clock: MockClock())

        ClientRequest(to: network).send(.test("a"))

        #expect(network.requests.map(\.path) == ["/a", "/b"])
    }

    /// A client may leave after the response has ended, and the last part may come when the client
    /// has left. A request ends only once.
    @Test(arguments: [0, 5])
    func theFirstEndCounts(_ delay: Int) async {
        let clock = MockClock(patience: .zero)
        let network = MockNetwork(.text("a").delayed(by: .seconds(delay)), clock: clock)
        let request = ClientRequest(to: network)
        await clock.advance(by: .seconds(2))
        request.send(.test("a"))
        await clock.advance(by: .seconds(1))

        request.recordCancellation()
        await clock.advance(by: .seconds(4))

        #expect(network.requests.map(\.startTime) == [.seconds(2)])
        #expect(network.requests.map(\.endTime) == [.seconds(2 + min(delay, 1))])
    }

    @Test func aClientThatHasLeftCancelsTheHandler() async {
        let ended = Gate()
        let network = MockNetwork()
        network.stub(.any) { _ in
            defer { ended.open() }
            return try await waitForCancellation()
        }
        let request = ClientRequest(to: network)
        request.recordCancellation()

        request.send(.test("a"))

        await ended.wait()
        #expect(network.requests.map(\.wasCancelled) == [true])
    }

    // Whoever waits here runs within the call that records the cancellation, and could otherwise still
    // send to the client that has left.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func whoeverWaitedForTheEndFindsNoOpenStream() async {
        let network = MockNetwork()
        let stub = network.stub(.any, .stream())
        let request = ClientRequest(to: network)
        request.send(.test("a"))
        #expect(stub.streams.value.open.count == 1)
        let count = Task(executorPreference: AtOnceExecutor()) {
            await network.waitForResponses()
            return stub.streams.value.open.count
        }

        request.recordCancellation()

        #expect(await count.value == 0)
        request.cancelWork()
    }

    /// A test cannot send to a client that has timed out.
    @Test func aStreamWhoseClientTimesOutIsClosed() async {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let stub = network.stub(.any, .stream())
        let request = ClientRequest(to: network)
        request.send(.test("a"))

        await clock.advance(by: .seconds(60))

        #expect(network.requests.map { ($0.error as? URLError)?.code } == [.timedOut])
        #expect(stub.streams.value.open.isEmpty)
    }

    /// A handler may ignore its cancellation, and return a stream to a client that has left.
    @Test func aStreamThatComesTooLateIsClosed() async {
        let network = MockNetwork()
        let mayRespond = Gate()
        let stub = network.stub(.any) { _ in
            await Task { await mayRespond.wait() }.value
            return .stream()
        }
        let request = ClientRequest(to: network)
        request.send(.test("a"))
        request.recordCancellation()
        request.cancelWork()

        mayRespond.open()

        await yieldWhile { !stub.streams.value.hasClientLeft }
        #expect(stub.streams.value.open.isEmpty)
    }

    // The stream is closed first, and the journal is told a moment later.
    @Test func aStreamWhoseClientLeavesIsNeverComplete() async {
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        let stub = network.stub(.any, .stream())
        let request = ClientRequest(to: network)
        request.send(.test("a"))

        stub.streams.value.open.first?.close()

        // The clock moves when the response waits or has ended.
        await clock.advance(by: .seconds(1))
        #expect(network.requests.map(\.endTime) == [nil])
        request.cancel()
        #expect(network.requests.map(\.wasCancelled) == [true])
    }
}

@Suite(.limited) struct DeliveryTests {
    /// As when the client leaves while a closure sends.
    @Test func aPieceAfterTheEndIsNotTaken() {
        let core = MockNetwork().core
        let record = RecordedRequest(request: .test("a"))
        let delivery = Delivery(to: record, for: PlainClient {}, in: core.time, .nothing, nil) {
            _, _ in
        }
        let receipt = Receipt()
        delivery.cancel()

        delivery.give(Data("a".utf8), receipt)

        #expect(receipt.hasEnded && !receipt.isTaken)
        receipt.didTake()
        #expect(!receipt.isTaken)
    }
}

extension ClientRequest {
    /// A request whose client follows redirects, and ignores what it receives.
    fileprivate convenience init(to network: MockNetwork) {
        self.init(to: network.core, from: PlainClient {}) { _ in }
    }
}

/// A client that follows each redirect to `/b`.
final class PlainClient: Client {
    let isWaiting = true
    let readerState: ReaderState? = nil
    let sessionTimeout: TimeInterval? = nil
    let passes = 0
    let cookieStorage: HTTPCookieStorage? = nil
    private let onRedirect: @Sendable () -> Void

    init(onRedirect: @escaping @Sendable () -> Void) { self.onRedirect = onRedirect }

    func follow(_ response: HTTPURLResponse, to request: URLRequest, _ decide: @escaping Decision) {
        onRedirect()
        decide(.success(.test("b")))
    }
}
