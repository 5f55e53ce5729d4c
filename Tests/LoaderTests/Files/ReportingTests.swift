import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct ReportingTests {
    private let folder = try! TemporaryFolder()
    private let network = MockNetwork()

    @Test(arguments: Transport.allCases)
    func reportsTheBytesOfAFile(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.any, .status(503), .error(.networkConnectionLost), .status(201))
        let file = try folder.write(Data(count: 500_000))
        let request = try URLRequest("PUT", baseURL, path: "/f").fileBody(file)
        let progress = Progress(totalUnitCount: 0)

        let retrying = session.retrying(RetryPolicy(baseDelay: .zero))
        _ = try await retrying.exchange(request, progress: progress)

        #expect(progress.totalUnitCount == 500_000)
        #expect(progress.userInfo[.fileURLKey] as? URL == file)
        #expect(progress.kind == .file)
        // The number is not larger, because each attempt starts again at 0.
        #expect(progress.completedUnitCount == 500_000)
        #expect(network.requests.map(\.body.count) == [500_000, 500_000, 500_000])
    }

    @Test(arguments: Transport.allCases)
    func reportsABodyInMemory(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.any, .status(201))
        let request = try URLRequest("PUT", baseURL, path: "/f").jsonBody([1, 2])
        let progress = Progress(totalUnitCount: 0)

        _ = try await session.exchange(request, progress: progress)

        #expect(progress.totalUnitCount == 5)
        #expect(progress.completedUnitCount == 5)
        #expect(network.requests.map(\.json) == ["[1,2]"])
    }

    @Test func isIndeterminateForAStream() async throws {
        network.stub(.any, .status(201))
        var request = URLRequest.test("f", method: "PUT")
        request.httpBodyStream = InputStream(data: Data("once".utf8))
        let progress = Progress(totalUnitCount: 0)

        _ = try await network.urlSession.exchange(request, progress: progress)

        #expect(progress.isIndeterminate)
        #expect(network.requests.map(\.body.text) == ["once"])
    }

    @Test(arguments: Transport.allCases, [true, false])
    func isCancelledWithItsProgressOrItsTask(
        _ transport: Transport, _ byProgress: Bool
    ) async throws {
        let (session, baseURL) = try transport.open(network)
        let received = Gate()
        network.stub(.any) { _ in
            received.open()
            return try await waitForCancellation()
        }
        let request = try URLRequest("PUT", baseURL, path: "/f").fileBody(folder.write("hello"))
        let progress = Progress(totalUnitCount: 0)

        let task = Task { await session.outcome(of: request, progress: progress) }
        await received.wait()
        if byProgress { progress.cancel() } else { task.cancel() }

        #expect(await task.value == .error(.cancelled))
    }

    @Test(arguments: Transport.allCases, [true, false])
    func aLoadIsCancelledWithItsProgressOrItsTask(
        _ transport: Transport, _ byProgress: Bool
    ) async throws {
        let (session, baseURL) = try transport.open(network)
        let received = Gate()
        network.stub(.any) { _ in
            received.open()
            return try await waitForCancellation()
        }
        let progress = Progress(totalUnitCount: 0)

        let task = Task {
            try await session.load(TextRequest(baseURL: baseURL), "/a", progress: progress)
        }
        await received.wait()
        if byProgress { progress.cancel() } else { task.cancel() }

        let error = await #expect(throws: APIRequestError.self) { try await task.value }
        #expect(error?.isCancellation == true)
        #expect(error?.stage == .transport)
        #expect((error?.underlying as? URLError)?.code == .cancelled)
    }

    @Test func anotherErrorIsNoCancellation() async throws {
        network.stub(.any, .error(.cancelled))
        let progress = Progress(totalUnitCount: 0)

        let error = await #expect(throws: APIRequestError.self) {
            try await network.urlSession.load(TextRequest(), "/a", progress: progress)
        }

        #expect(error?.isCancellation == false)
    }

    @Test func sendsNothingIfTheProgressWasCancelled() async throws {
        let progress = Progress(totalUnitCount: 0)
        progress.cancel()

        await #expect(throws: URLError(.cancelled)) {
            try await network.urlSession.exchange(URLRequest.test("f"), progress: progress)
        }
        #expect(network.requests.isEmpty)
    }

    @Test func callsAClosureWithEachChange() async throws {
        network.stub(.any, .status(201))
        let changes = Locked<[[Int64]]>([])
        let progress = Progress { progress in
            changes.withLock { $0.append([progress.completedUnitCount, progress.totalUnitCount]) }
        }

        _ = try await network.urlSession
            .exchange(.test("f", method: "PUT", body: "hello"), progress: progress)

        let all = changes.withLock { $0 }
        #expect(all.first == [0, 5])
        #expect(all.last == [5, 5])
    }

    /// The closure may end the transfer that calls it.
    @Test func theClosureMayCancel() async throws {
        network.stub(.any, .status(201), times: .any)
        let progress = Progress { $0.cancel() }

        await #expect(throws: URLError(.cancelled)) {
            try await network.urlSession
                .exchange(.test("f", method: "PUT", body: "hello"), progress: progress)
        }
    }

    /// One thread is about to show the first byte while another one shows the last.
    @Test func aLateNumberDoesNotReplaceALaterOne() async throws {
        struct TwoThreadSession: HTTPSession {
            let progress: SlowProgress

            func send(
                _ request: URLRequest, awaiting options: SendOptions
            ) async throws -> (HTTPBody, HTTPURLResponse) {
                Thread.detachNewThread { [progress] in
                    options.didSend?(1)
                    progress.didShow.open()
                }
                await progress.isShowing.wait()
                return try answer(to: request, [], [:])
            }
        }
        let progress = SlowProgress()

        _ = try await TwoThreadSession(progress: progress)
            .exchange(.test("f", method: "PUT", body: "hello"), progress: progress)

        await progress.didShow.wait()
        #expect(progress.completedUnitCount == 5)
    }
}

/// A progress that shows the first byte after the last one, unless the last one waits.
private final class SlowProgress: Progress, @unchecked Sendable {  // The gates are constants.
    let isShowing = Gate()
    let didShow = Gate()
    private let last = DispatchSemaphore(value: 0)

    init() {
        super.init(parent: nil, userInfo: nil)
    }

    override var completedUnitCount: Int64 {
        get { super.completedUnitCount }
        set {
            if newValue == 1 {
                isShowing.open()
                // It must not come, so there is nothing else to wait for.
                _ = last.wait(timeout: .now() + .milliseconds(200))
            }
            super.completedUnitCount = newValue
            if newValue == 5 { last.signal() }
        }
    }
}
