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

    @Test func sendsNothingIfTheProgressWasCancelled() async throws {
        let progress = Progress(totalUnitCount: 0)
        progress.cancel()

        await #expect(throws: URLError(.cancelled)) {
            try await network.urlSession.exchange(URLRequest.test("f"), progress: progress)
        }
        #expect(network.requests.isEmpty)
    }
}
