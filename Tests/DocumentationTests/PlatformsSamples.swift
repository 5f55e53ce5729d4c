import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// What README.md and Platforms.md say of a mocked `URLSession`, as far as this platform goes.
@Suite(.limited, .usesSockets) struct PlatformClaims {
    let url = URL(string: "https://api.example.com/files")!

    @Test func uploadsArriveWithTheirBody() async throws {
        let network = MockNetwork()
        network.stub(.post("/files"), .status(201))
        let request = try URLRequest("POST", url)
        let file = FileManager.default.temporaryDirectory
            .appending(path: "upload-\(UUID().uuidString)")
        try Data("from a file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }

        _ = try await network.urlSession.upload(for: request, from: Data("from memory".utf8))
        _ = try await network.urlSession.upload(for: request, fromFile: file)

        let bodies = network.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies == ["from memory", "from a file"])
    }

    @Test func aDelegateSeesEachChunk() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("abcdef").chunked(by: 2))
        let watch = TaskWatch(network)

        let (chunks, error) = await watch.outcome(of: watch.session.dataTask(with: url))

        #expect(chunks.map { String(decoding: $0, as: UTF8.self) } == ["ab", "cd", "ef"])
        #expect(error == nil)
    }

    @Test func redirectsAreFollowedAndCookiesKept() async throws {
        let network = MockNetwork()
        network.stub(.get("/files"), .redirect(to: "/new").header("Set-Cookie", "a=b; Path=/"))
        network.stub(.get("/new"), .text("here"))

        let (data, response) = try await network.urlSession.exchange(URLRequest(url: url))

        #expect(data == Data("here".utf8))
        #expect(response.url?.path == "/new")
        #expect(network.requests[1].request.value(forHTTPHeaderField: "Cookie") == "a=b")
    }

    @Test func handlersMayBlock() async throws {
        let gate = DispatchSemaphore(value: 0)
        let network = MockNetwork { request in
            if request.url?.path == "/last" { gate.open(times: 8) }
            gate.pass()
            return (HTTPURLResponse(), nil)
        }

        try await withThrowingTaskGroup { group in
            for path in ["/1", "/2", "/3", "/4", "/5", "/6", "/7", "/last"] {
                let url = url.deletingLastPathComponent().appending(path: path)
                group.addTask { try await network.urlSession.exchange(URLRequest(url: url)).1 }
            }
            for try await response in group { #expect(response.statusCode == 200) }
        }
    }

    #if canImport(FoundationNetworking)
    @Test func whatCannotBeMockedFailsWithTheTextOfThePage() async throws {
        let page = try String(
            contentsOf: .repository.appending(path: "Docs/APIKitLite.docc/Platforms.md"),
            encoding: .utf8)
        let network = MockNetwork()
        network.stub(.any, .status(200))
        let watch = TaskWatch(network)
        let request = try URLRequest("POST", url)

        let errors = [
            await watch.outcome(of: watch.session.downloadTask(with: request)).error,
            await watch.outcome(of: watch.session.uploadTask(withStreamedRequest: request)).error,
        ]

        for error in errors {
            let failure = try #require(error as? MockError)
            #expect(page.contains(failure.description))
        }
    }
    #endif
}

/// Follows one task of a session after the other through a delegate.
private final class TaskWatch: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate,
    @unchecked Sendable  // The variables only on the delegate queue, or before a task runs.
{
    private(set) var session = URLSession.shared
    private var chunks: [Data] = []
    private var end: (([Data], (any Error)?) -> Void)?

    init(_ network: MockNetwork) {
        super.init()
        session = URLSession(
            configuration: network.configuration, delegate: self, delegateQueue: nil)
    }

    func outcome(of task: URLSessionTask) async -> (chunks: [Data], error: (any Error)?) {
        await withCheckedContinuation { continuation in
            chunks = []
            end = { continuation.resume(returning: ($0, $1)) }
            task.resume()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        chunks.append(data)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        end?(chunks, error)
    }
}

extension DispatchSemaphore {
    fileprivate func open(times: Int) {
        for _ in 0..<times { signal() }
    }

    /// Blocks the thread, as an async function may not do by itself.
    fileprivate func pass() {
        wait()
    }
}
