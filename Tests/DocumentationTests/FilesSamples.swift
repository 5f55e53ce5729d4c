import APIKitLite
import APIKitLiteTesting
import Observation
import TestSupport

private struct ModelRequest: APIRequest {
    var baseURL = URL(string: "https://api.example.com")!

    func makeRequest(from version: String) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: "/models/{version}", ["version": version])
    }

    func parseResponse(data: Data) throws -> Data { data }
}

/// The samples of Files.md.
@Suite(.limited) struct FilesSamples {
    private let network = MockNetwork()
    private let folder = try! TemporaryFolder()
    private var session: MockNetwork { network }
    private var file: URL { folder.url.appending(path: "model.bin") }

    @Test func downloadsAndResumes() async throws {
        let model = MockResponse.data(Data("a large model".utf8))
            .header("ETag", "\"v1\"").acceptingRanges
        network.stub(.get("/models/v1"), model.failing(afterBytes: 5), model)

        await #expect(throws: APIRequestError.self) {
            try await session.download(ModelRequest(), "v1", to: file)
        }
        try await session.download(ModelRequest(), "v1", to: file)
        #expect(network.requests.last?.header("Range") == "bytes=5-")

        #expect(try String(contentsOf: file, encoding: .utf8) == "a large model")
    }

    @Test func continuesByItself() async throws {
        let model = MockResponse.data(Data("a".utf8)).header("ETag", "\"v1\"")
        network.stub(.any, .error(.networkConnectionLost), model)

        try await session.download(ModelRequest(), "v1", to: file, retrying: .standard)

        #expect(try Data(contentsOf: file) == Data("a".utf8))
    }

    @Test func severalViewsShareADownload() async throws {
        let stub = network.stub(.any, .data(Data("a".utf8)).held, .status(404))
        let downloads = Downloads(network)

        let executor = QueueExecutor(isSerial: true)
        let views = (1...2).map { [file] _ in
            executor.start { try await downloads.download("v1", to: file) }
        }
        await executor.settle()
        await downloads.settle()
        await stub.waitForRequests()
        stub.release()
        for view in views { try await view.value }
        #expect(network.requests.count == 1)

        // The next one begins again, and its failure is not kept.
        for _ in 1...2 {
            await #expect(throws: APIRequestError.self) {
                try await downloads.download("v1", to: file)
            }
        }
        #expect(network.requests.count == 3)
    }

    struct VideoRequest: APIRequest {
        typealias ResponseDataType = Void

        var baseURL = URL(string: "https://api.example.com")!

        func makeRequest(from file: URL) throws -> URLRequest {
            try URLRequest("PUT", baseURL, path: "/videos/7").fileBody(file)
        }
    }

    @Test func uploadsAFile() async throws {
        let file = try folder.write("moving pictures", "holiday.mp4")
        network.stub(.put("/videos/7"), .status(503), .status(204))
        let session = network.retrying(RetryPolicy(baseDelay: .zero, deadline: nil))

        try await session.load(VideoRequest(), file)

        #expect(network.requests.map(\.body.text) == ["moving pictures", "moving pictures"])
        #expect(network.requests[0].header("Content-Type") == "video/mp4")
    }

    @Test func showsTheProgress() async throws {
        let file = try folder.write("moving pictures", "holiday.mp4")
        network.stub(.put("/videos/7"), .status(204))
        let lines = Locked<[String]>([])
        @Sendable func print(_ line: String) { lines.withLock { $0.append(line) } }

        try await session.load(VideoRequest(), file) { bytes, total in
            print("\(bytes) of \(total ?? 0) bytes")
        }
        #expect(lines.withLock { $0.last } == "15 of 15 bytes")
    }

    @Test @MainActor func showsTheFractionOfADownload() async throws {
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return }
        let clock = MockClock()
        let network = MockNetwork(clock: clock)
        network.stub(.any, .data(Data(count: 10)).chunked(by: 5, every: .seconds(1)))
        let model = DownloadModel()

        let download = Task { [file] in
            try await model.download("v1", to: file, over: network)
        }
        await waitUntil { model.fraction == 0.5 }
        await clock.advance(by: .seconds(1))
        try await download.value
        #expect(model.fraction == 1)
    }
}

actor Downloads {
    private let session: any HTTPSession
    private var tasks: [URL: Task<Void, any Error>] = [:]

    init(_ session: any HTTPSession) { self.session = session }

    func download(_ version: String, to file: URL) async throws {
        let task =
            tasks[file]
            ?? Task {
                defer { tasks[file] = nil }
                _ = try await session.download(ModelRequest(), version, to: file)
            }
        tasks[file] = task
        try await task.value
    }
}

extension Downloads {
    /// Suspends until each call that waits for the actor has joined its download.
    fileprivate func settle() {}
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor @Observable final class DownloadModel {
    /// From 0 to 1; nil if the size is unknown.
    private(set) var fraction: Double?

    func download(_ version: String, to file: URL, over session: any HTTPSession) async throws {
        let (fractions, feed) = AsyncStream<Double?>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let showing = Task { for await fraction in fractions { self.fraction = fraction } }
        defer { feed.finish() }
        try await session.download(ModelRequest(), version, to: file) { bytes, total in
            feed.yield(total.map { Double(bytes) / Double(max($0, 1)) })
        }
        feed.finish()
        await showing.value
    }
}
