#if canImport(FoundationNetworking)
@testable import APIKitLite
import APIKitLiteTesting
import TestSupport

/// A transfer whose body is unwanted ends, although more of the body has arrived.
@Suite(.limited, .usesSockets) struct StoppedTransferTests {
    static let limit = 1 << 20

    private let network = MockNetwork()
    private let server: LoopbackServer
    private let session = URLSession(configuration: .withoutProxy)

    init() throws {
        server = try network.serve()
        network.stub(.get("/"), .text("ok"), times: .any)
        network.stub(
            .get("/large"),
            .data(.gzippedZeros(16 << 20)).header("Content-Encoding", "gzip"), times: .any)
    }

    private func request(_ path: String = "") -> URLRequest {
        URLRequest(url: server.url.appending(path: path))
    }

    private final class PieceCounter: NSObject, URLSessionDataDelegate {
        let hasEnded = Gate()

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) { hasEnded.open() }
    }

    /// libcurl gets all pieces of one read in one call. Each is decompressed from a few bytes.
    @Test func noPieceArrivesAfterTheLastWanted() async throws {
        let stream = URLSessionStream(request("large"), .head())
        let callbacks = Locked(0)
        let delegate = PieceCounter()
        // The delegate queue's callbacks are added within libcurl's call.
        let queue = OperationQueue.serial(label: "StoppedTransferTests") {
            if callbacks.next() == 5 { stream.cancel() }
            stopTransfers()
        }
        let session = URLSession(
            configuration: .withoutProxy, delegate: delegate, delegateQueue: queue)
        session.markTransferQueue()
        stream.start(session.dataTask(with: request("large")))
        await delegate.hasEnded.wait()

        // The last one is the completion.
        #expect(callbacks.withLock { $0 } == 6)
    }

    enum Reader: CaseIterable { case data, load, collect, leaves, cancelled, download }

    /// The session goes on working, also for its other requests.
    @Test(arguments: Reader.allCases) func endsALargeBody(_ reader: Reader) async throws {
        try await concurrently(4) { _ in try await expectEnd(of: reader) }
        let limited = session.limitingBodies(to: Self.limit)
        for _ in 0..<10 {
            #expect(await session.outcome(of: request()) == .body("ok"))
            #expect(await limited.outcome(of: request()) == .body("ok"))
        }
        #expect(await session.outcome(of: request(), asStream: true) == .body("ok"))
    }

    private func expectEnd(of reader: Reader) async throws {
        let limited = session.limitingBodies(to: Self.limit)
        let request = request("large")
        let tooLarge = TransportError.bodyTooLarge(limit: Self.limit)
        switch reader {
        case .data: await #expect(throws: tooLarge) { try await limited.exchange(request) }
        case .load:
            let error = await #expect(throws: APIRequestError.self) {
                try await limited.load(request, as: Data.self)
            }
            #expect(error?.underlying as? TransportError == tooLarge)
        case .collect:
            let (body, _) = try await session.stream(request)
            await #expect(throws: tooLarge) { try await body.collect(limit: Self.limit) }
        case .leaves:
            var pieces = try await session.stream(request).0.makeAsyncIterator()
            _ = try await pieces.next()
        case .cancelled:
            let (body, _) = try await session.stream(request)
            let task = Task { for try await _ in body { withUnsafeCurrentTask { $0?.cancel() } } }
            // The whole body may have arrived before.
            _ = await task.result
        case .download:
            let folder = try TemporaryFolder()
            let task = Task {
                try await session.download(request, to: folder.file) { _, _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            await #expect(throws: (any Error).self) { try await task.value }
        }
    }

    /// Without a limit of its own, a body is received by Foundation, and looked at now and then.
    @Test func endsALargeBodyThatFoundationCollects() async throws {
        let server = try LargeServer()
        let request = URLRequest(url: server.url)
        var options = SendOptions.body
        options.context.bodyLimit = Self.limit
        let exchange = URLSessionExchange(request, options)
        let result = await withCheckedContinuation { continuation in
            ConnectionBusyLoop.watch(session)
            exchange.start(
                session.dataTask(with: request) {
                    continuation.resume(returning: exchange.outcome($0, $1, $2))
                })
        }

        #expect(throws: TransportError.bodyTooLarge(limit: Self.limit)) { try result.get() }
        await server.hasEnded.wait()
    }

    @Test func endsAStreamWhoseBufferIsFull() async throws {
        let server = try LargeServer()
        let (body, _) = try await session.stream(URLRequest(url: server.url), buffering: 1 << 16)
        await server.hasEnded.wait()
        await #expect(throws: TransportError.bodyLimit(1 << 16)) { try await body.collect() }
    }

    /// All sessions share Foundation's serial queue. Otherwise, as many requests as the machine has
    /// cores would keep the reader of the body that the queue receives from running.
    @Test func onlyTheWaitingQueueWaitsForFoundation() async throws {
        let held = network.stub(.get("/held"), .hanging)
        let request = request("held")
        let executor = QueueExecutor(isSerial: true)
        let (mayStart, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

        waitingQueue.async { mayStart.wait() }
        let load = executor.start { await session.outcome(of: request) }
        await executor.settle()
        #expect(await session.pendingTasks().isEmpty)
        mayStart.signal()
        await held.waitForRequests()

        waitingQueue.async { mayEnd.wait() }
        load.cancel()
        #expect(await session.pendingTasks().map(\.state) == [.running])
        mayEnd.signal()
        #expect(try await load.value == .error(.cancelled))
    }

    // MARK: The app's session

    @Test(arguments: [false, true], [false, true])
    func endsWithOrBeforeTheAppsSession(isStream: Bool, mayFinish: Bool) async throws {
        let held = network.stub(.get("/held"), .text("held").held)
        let limited = session.limitingBodies(to: Self.limit)
        let load = Task { await limited.outcome(of: request("held"), asStream: isStream) }
        await held.waitForRequests()
        if mayFinish { session.finishTasksAndInvalidate() } else { session.invalidateAndCancel() }
        if mayFinish { held.release() }
        #expect(await load.value == (mayFinish ? .body("held") : .error(.cancelled)))
    }

    private enum Step { case readsConfiguration, createsPlaceholder }

    /// Records what a stream uses of it.
    private final class ObservedSession: URLSession, @unchecked Sendable {  // It adds a constant.
        let steps = Locked<[Step]>([])

        override var configuration: URLSessionConfiguration {
            steps.withLock { $0.append(.readsConfiguration) }
            return super.configuration
        }

        override func downloadTask(
            with url: URL,
            completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
        ) -> URLSessionDownloadTask {
            steps.withLock { $0.append(.createsPlaceholder) }
            return super.downloadTask(with: url, completionHandler: completionHandler)
        }
    }

    /// The app may invalidate its session while the second session is created from the app's
    /// configuration, which can take milliseconds. After that, the placeholder's creation would end
    /// the process.
    @Test func aStreamTakesItsPlaceInTheAppsSessionFirst() async throws {
        let held = network.stub(.get("/held"), .hanging)
        let session = ObservedSession(configuration: .withoutProxy)
        let load = Task { await session.outcome(of: request("held"), asStream: true) }
        await held.waitForRequests()
        let steps = session.steps.withLock { $0 }
        #expect(steps.filter { $0 == .createsPlaceholder }.count == 1)
        #expect(steps.suffix(3) == [.createsPlaceholder, .readsConfiguration, .readsConfiguration])
        session.invalidateAndCancel()
        #expect(await load.value == .error(.cancelled))
    }

    @Test func usesTheProtocolClassesOfTheAppsSession() async throws {
        let mock = MockNetwork()
        mock.stub(.any, .text("mock"), times: .any)
        for text in ["ok", "mock"] {
            if text == "mock" {
                session.configuration.protocolClasses = mock.configuration.protocolClasses
            }
            for asStream in [true, false] {
                let limited = session.limitingBodies(to: 9)
                #expect(await limited.outcome(of: request(), asStream: asStream) == .body(text))
            }
        }
    }
}
#endif
