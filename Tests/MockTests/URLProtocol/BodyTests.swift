import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct BodyTests {
    let network = MockNetwork()

    init() { network.stub(.any) { request in .text("got \(request.body.text)") } }

    @Test(arguments: Transport.allCases, [0, 1, 200_000])
    func seesTheBodyOfARequest(_ transport: Transport, _ size: Int) async throws {
        let client = try TestClient(transport, network)
        let body = Data(repeating: 65, count: size)
        var (whole, streamed) = (client.request(method: "POST"), client.request(method: "POST"))
        whole.httpBody = body
        streamed.httpBodyStream = InputStream(data: body)

        for request in [whole, streamed] {
            #expect(try await client.session.exchange(request).0 == Data("got ".utf8) + body)
        }

        #expect(network.requests.map(\.body) == [body, body])
        // On Linux, reading a stream again would end the process.
        guard transport != .loopback else { return }
        #expect(await client.session.outcome(of: streamed) == .error(.requestBodyStreamExhausted))
    }

    @Test func seesTheBodyOfAnUpload() async throws {
        let request = URLRequest.test("a", method: "PUT")
        let folder = try TemporaryFolder()

        let (session, upload) = (network.urlSession, Data("upload".utf8))

        let data = try await session.upload(for: request, from: upload).0
        let fileData = try await session.upload(for: request, fromFile: folder.write("file")).0
        // A HEAD is sent without its body.
        _ = try await session.upload(for: .test("a", method: "HEAD"), from: upload)

        #expect(network.requests.last?.body == Data())
        #expect([data.text, fileData.text] == ["got upload", "got file"])
    }

    /// A body stream cannot be read again for a redirect that keeps the body.
    @Test func aRedirectDoesNotRepeatABodyStream() async {
        let network = MockNetwork(.redirect(to: "/b", status: 307), .text("arrived"))
        var request = URLRequest.test("a", method: "POST")
        request.httpBodyStream = InputStream(data: Data("x".utf8))

        #expect(await network.outcome(of: request) == .error(.requestBodyStreamExhausted))
        #expect(network.requests.map(\.path) == ["/a"])
    }

    @Test func anUploadOfAMissingFileFails() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

        await #expect(throws: (any Error).self) {
            try await network.urlSession.upload(for: .test("a", method: "PUT"), fromFile: file)
        }
        #expect(network.requests.isEmpty)
    }

    @Test func anUploadOfADelegatesStreamFailsWithItsCause() async throws {
        let error = await failure { session in
            session.uploadTask(withStreamedRequest: .test("a", method: "PUT"))
        }

        #expect("\(error!)".contains("uploadTask(with:from:)"))
    }

    #if canImport(FoundationNetworking)
    @Test func downloadsFailWithTheirCause() async throws {
        let error = await withCheckedContinuation { continuation in
            network.urlSession.downloadTask(with: .test("a")) { _, _, error in
                continuation.resume(returning: error)
            }.resume()
        }
        #expect("\(error!)".contains("A download task cannot be mocked"))

        let delegateError = await failure { $0.downloadTask(with: .test("a")) }
        #expect("\(delegateError!)" == "\(error!)")
        await #expect(throws: MockError.self) {
            try await network.urlSession.download(for: .test("a"))
        }
    }
    #endif

    /// Runs a task that only a delegate follows.
    private func failure(of makeTask: (URLSession) -> URLSessionTask) async -> (any Error)? {
        final class Follower: NSObject, URLSessionTaskDelegate, URLSessionDownloadDelegate {
            let ended = Recorder<(any Error)?>()
            func urlSession(
                _ session: URLSession, task: URLSessionTask,
                didCompleteWithError error: (any Error)?
            ) { ended.append(error) }
            func urlSession(
                _ session: URLSession, downloadTask: URLSessionDownloadTask,
                didFinishDownloadingTo location: URL
            ) {}
        }
        let follower = Follower()
        let session = network.urlSession(delegate: follower)
        makeTask(session).resume()
        return await follower.ended.events { _ in true }[0]
    }
}
