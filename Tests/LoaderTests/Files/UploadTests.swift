import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

@Suite(.limited, .usesSockets) struct UploadTests {
    private let folder = try! TemporaryFolder()
    private let network = MockNetwork()
    private let long = String(repeating: "0123456789", count: 50_000)

    private func upload(_ file: URL, to baseURL: URL, _ path: String = "/f") throws -> URLRequest {
        try URLRequest("PUT", baseURL, path: path).fileBody(file)
    }

    @Test(arguments: Transport.allCases, [0, 5, 500_000])
    func sendsAFile(_ transport: Transport, _ size: Int) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.any, .status(201))
        let text = String(long.prefix(size))
        let request = try upload(folder.write(text, "a.txt"), to: baseURL)

        for _ in 0..<2 { #expect(try await session.exchange(request).1.statusCode == 201) }
        #expect(network.requests.map { $0.body == Data(text.utf8) } == [true, true])
        let sent = try #require(network.requests.first)
        #expect(sent.header("Content-Type") == "text/plain")
        #expect(sent.header("Transfer-Encoding") == nil)
        #if canImport(FoundationNetworking)
        let showsLength = transport == .loopback
        #else
        // There, the mock cannot tell a file from any other stream.
        let showsLength = transport != .direct
        #endif
        #expect(sent.header("Content-Length") == (showsLength ? "\(size)" : nil))
    }

    @Test(arguments: Transport.allCases) func sendsAForm(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        let form = RequestMatcher.post("/form").part("title", text: "Emma")
        network.stub(form.part("cover", fileName: "a.png"), .status(201))
        let cover = try folder.write(long, "a.png")
        let request = try URLRequest("POST", baseURL, path: "/form").multipartBody([
            .text("title", "Emma"), .file("cover", at: cover),
            .file("empty", at: folder.write("", "b.txt")), .text("last", "x"),
        ])

        #expect(try await session.exchange(request).1.statusCode == 201)
        let parts = try #require(network.requests.first?.parts)
        #expect(parts.map(\.name) == ["title", "cover", "empty", "last"])
        #expect(parts.map(\.data.count) == [4, 500_000, 0, 1])
        #expect(parts[1].data == Data(long.utf8))
        #expect(parts.map(\.contentType) == [nil, "image/png", "text/plain", nil])
        #expect(parts.map(\.fileName) == [nil, "a.png", "b.txt", nil])
    }

    @Test(arguments: Transport.allCases, [303, 307, 308])
    func sendsTheFileAgainAfterARedirect(_ transport: Transport, _ status: Int) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.any, .status(201))
        network.stub(.put("/old"), .redirect(to: "/new", status: status))
        let request = try upload(folder.write(long), to: baseURL, "/old")
        #expect(try await session.exchange(request).1.statusCode == 201)
        let isGet = status == 303
        #expect(network.requests.map(\.path) == ["/old", "/new"])
        #expect(network.requests.map(\.method) == ["PUT", isGet ? "GET" : "PUT"])
        #expect(network.requests.map(\.body.count) == [500_000, isGet ? 0 : 500_000])
        if isGet { #expect(network.requests.last?.header("Content-Length") == nil) }
    }

    @Test(arguments: Transport.allCases, ["vanished", "grew", "shrank", "is a folder"])
    func failsForAFileThatChanged(_ transport: Transport, _ change: String) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.any, .status(201), times: .any)
        let file = try folder.write("hello")
        let request = try upload(file, to: baseURL)
        try folder.remove("file.bin")
        if change == "is a folder" { try folder.makeFolder() }
        if change == "grew" { try folder.write("hello!") }
        if change == "shrank" { try folder.write("hell") }
        let expected: FileBodyError =
            switch change {
            case "vanished": .missing(file)
            case "is a folder": .notAFile(file)
            default: .resized(file, from: 5, to: change == "grew" ? 6 : 4)
            }

        await #expect(throws: expected) {
            try await session.retrying(clock: MockClock()).exchange(request)
        }
        await #expect(throws: expected) { _ = try await session.stream(request) }
        let error = await #expect(throws: APIRequestError.self) {
            try await session.load(request, as: Data.self)
        }
        #expect(error?.stage == .transport)
        #expect(error?.underlying as? FileBodyError == expected)
        #expect(error?.errorDescription?.contains("file.bin") == true)
        #expect(network.requests.isEmpty)
    }

    #if canImport(FoundationNetworking)
    /// The file changes when a part of it was read, which the progress shows. Foundation of Apple
    /// platforms reads the file itself.
    @Test(arguments: ["shrinks", "grows"])
    func failsForAFileThatIsResizedWhileItIsSent(_ change: String) async throws {
        let (session, baseURL) = try Transport.loopback.open(network)
        network.stub(.any, .status(201), times: .any)
        let file = try folder.write(long)
        let handle = try FileHandle(forUpdating: file)
        let request = try upload(file, to: baseURL)
        let size = change == "shrinks" ? 1_000 : 600_000

        await #expect(throws: FileBodyError.resized(file, from: 500_000, to: size)) {
            try await session.exchange(request) { count, _ in
                guard count > 0, count < 500_000 else { return }
                try? handle.truncate(atOffset: UInt64(size))
            }
        }
        #expect(network.requests.isEmpty)
    }
    #endif

    @Test func closesTheFileOfACancelledUpload() async throws {
        let (session, baseURL) = try Transport.loopback.open(network)
        network.stub(.any, .status(201), times: .any)
        let file = try folder.write(Data(count: 8_000_000))
        let request = try upload(file, to: baseURL)

        for _ in 0..<20 {
            let started = Gate()
            let upload = Task {
                try await session.exchange(request) { count, _ in if count > 0 { started.open() } }
            }
            await started.wait()
            upload.cancel()
            _ = await upload.result
        }
        // Foundation gives the last task up a moment after its completion.
        await yieldWhile { openCount(of: file) > 0 }
        #expect(openCount(of: file) == 0)
    }

    @Test(arguments: Transport.allCases.filter { $0 != .direct }, Ending.allCases)
    func removesTheFileOfAForm(_ transport: Transport, _ ending: Ending) async throws {
        let (session, baseURL) = try transport.open(network)
        let received = Gate()
        let size = Self.sizes.next()
        network.stub(.any) { [self] request in
            #expect(permissionsOfForms(of: request.body.count) == [0o600])
            received.open()
            switch ending {
            case .before, .response, .head: return .status(201)
            case .error: throw URLError(.networkConnectionLost)
            case .cancellation: return try await waitForCancellation()
            }
        }
        let form = try URLRequest("POST", baseURL, path: "/f").multipartBody([
            .file("a", at: folder.write(Data(count: size))), .text("b", "c"),
        ])
        let total = try #require(form.repeatableBody?.size)

        let upload = Task {
            if ending == .before { withUnsafeCurrentTask { $0?.cancel() } }
            if ending == .head { return try await session.stream(form).1 }
            return try await session.exchange(form).1
        }
        if ending != .before { await received.wait() }
        if ending == .cancellation { upload.cancel() }
        let result = await upload.result
        if ending == .before { #expect(throws: URLError(.cancelled)) { try result.get() } }

        #expect(network.requests.map(\.body.count) == (ending == .before ? [] : [total]))
        #expect(permissionsOfForms(of: total).isEmpty)
    }

    enum Ending: CaseIterable { case before, response, head, error, cancellation }

    /// The size of the last form. It tells a form from all others, of other processes too.
    private static let sizes = Locked(Int.random(in: 400_000..<500_000))

    /// The permissions of the temporary files of forms with a size.
    private func permissionsOfForms(of size: Int) -> [Int] {
        let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".form") }.compactMap { name in
            let file = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            return file?[.size] as? Int == size ? file?[.posixPermissions] as? Int : nil
        }
    }

    /// The number of descriptors that this process has for a file; 0 where it is unknown.
    private func openCount(of file: URL) -> Int {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "\(folder)/\(name)")
            return target == file.path(percentEncoded: false)
        }
    }
}

/// What `progress` gets while the body of a request is sent.
@Suite(.limited, .usesSockets) struct ReportingTests {
    private let folder = try! TemporaryFolder()
    private let network = MockNetwork()
    /// The last number of bytes, and each size that a call had.
    private let reported = Locked<(bytes: Int64?, totals: Set<Int64?>)>((nil, []))

    private var progress: @Sendable (Int64, Int64?) -> Void {
        { [reported] bytes, total in
            reported.withLock { reported in
                reported.bytes = bytes
                reported.totals.insert(total)
            }
        }
    }

    @Test(arguments: Transport.allCases, [false, true])
    func reportsTheBytesOfAFile(_ transport: Transport, asStream: Bool) async throws {
        let (session, baseURL) = try transport.open(network)
        let second = MockResponse.redirect(to: "/new", status: 307)
        network.stub(
            .any, .status(503), asStream ? second : .error(.networkConnectionLost), .text("done"))
        let file = try folder.write(Data(count: 500_000))
        let request = try URLRequest("PUT", baseURL, path: "/f").fileBody(file)

        let retrying = session.retrying(RetryPolicy(baseDelay: .zero, deadline: nil))
        if asStream {
            #expect(try await retrying.stream(request).0.text == "done")
        } else {
            #expect(try await retrying.exchange(request, progress: progress).0.text == "done")
            // The number is not larger, because each attempt counts from 0.
            #expect(reported.withLock { $0.bytes } == 500_000)
            #expect(reported.withLock { $0.totals } == [500_000])
        }
        #expect(network.requests.map(\.body.count) == [500_000, 500_000, 500_000])
    }

    /// A server may refuse or redirect a large body before it has read it, or close a connection at
    /// its second request, which is then sent again.
    @Test(arguments: ["early/413", "early/401", "early/307", ""], [false, true])
    func reportsAllBytesOnlyIfTheyWereSent(_ path: String, losesConnection: Bool) async throws {
        let server = try ClosingServer()
        let session = URLSession(configuration: .withoutProxy)
        // Larger than what two sockets buffer.
        let body = Data(count: 64 << 20)
        let most = Locked<Int64>(0)
        var request = URLRequest(url: server.url.appending(path: path))
        request.httpMethod = "PUT"

        repeat {
            if losesConnection { _ = try await session.exchange(URLRequest(url: server.url)) }
            let (_, response) = try await session.upload(
                for: request, from: body,
                progress: { bytes, _ in most.withLock { $0 = max($0, bytes) } })
            #expect(response.statusCode == (path.isEmpty ? 200 : path.hasSuffix("401") ? 401 : 413))
        } while losesConnection && server.closedCount == 0
        #expect((most.withLock { $0 } == body.count) == path.isEmpty)
    }

    @Test(arguments: Transport.allCases)
    func eachVerbReportsItsBody(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.any, .text("a"))
        let put = try URLRequest("PUT", baseURL, path: "/f")
        let form = try put.formBody(["a": "1"])
        let (json, empty) = (try put.jsonBody([1, 2]), try put.fileBody(folder.write(Data())))
        let data = Data("b=22".utf8)
        let progress = progress
        let verbs: [(body: String?, send: @Sendable () async throws -> Void)] = [
            ("[1,2]", { _ = try await session.exchange(json, progress: progress) }),
            ("a=1", { _ = try await session.load(form, as: Data.self, progress: progress) }),
            ("a=1", { _ = try await session.response(form, progress: progress) { _, _ in } }),
            ("b=22", { _ = try await session.upload(for: put, from: data, progress: progress) }),
            ("", { _ = try await session.exchange(empty, progress: progress) }),
            (nil, { _ = try await session.exchange(URLRequest(url: baseURL), progress: progress) }),
        ]

        for (body, send) in verbs {
            reported.withLock { $0 = (nil, []) }
            try await send()

            // Without a body, it reports nothing.
            let count = body.map { Int64($0.utf8.count) }
            #expect(reported.withLock { $0.bytes } == count)
            #expect(reported.withLock { $0.totals } == (count == nil ? [] : [count]))
            #expect(network.requests.last?.body.text == body ?? "")
        }
    }
}
