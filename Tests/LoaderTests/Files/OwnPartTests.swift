import APIKitLite
import APIKitLiteTesting
import TestSupport

/// The part must be the file that the download has locked, and belong to nobody else.
@Suite(.limited) struct OwnPartTests {
    private let folder = try! TemporaryFolder()
    private let network = MockNetwork()
    private let bytes = Data.pattern(100)

    private func download() async throws {
        try await network.fetch(.test("/file"), to: folder.file)
    }

    /// What another program may do with the part while the download runs.
    enum Change: CaseIterable { case otherFile, longerFile, link, removal }

    @Test(arguments: Change.allCases) func aReplacedPartIsNoFile(_ change: Change) async throws {
        try folder.write("old")
        network.stub(.any) { [folder, bytes] _ in
            try folder.remove("file.bin.part")
            switch change {
            case .otherFile: try folder.write("evil", "file.bin.part")
            case .longerFile: try folder.write(Data(count: 1_000), "file.bin.part")
            case .link: try folder.link("file.bin.part", to: "other")
            case .removal: break
            }
            return .file(bytes)
        }

        let error = await #expect(throws: DownloadError.self) { try await download() }
        #expect(error?.description.contains("file.bin.part was changed") == true)
        #expect(folder.content?.text == "old")
        // The other file stays, and no record says that it is a part.
        #expect(
            folder.names == (change == .removal ? ["file.bin"] : ["file.bin", "file.bin.part"]))
        if change == .otherFile { #expect(try folder.text("file.bin.part") == "evil") }
    }

    @Test func aShortenedPartIsNotFilledWithZeros() async throws {
        let pieces = Locked([20, 20, 20, 40])
        let session = BodySession(unfolding: { [folder, bytes] in
            let (start, count) = pieces.withLock { pieces in
                (100 - pieces.reduce(0, +), pieces.popLast())
            }
            // The first piece has been written when the second one has been taken.
            if start == 60 { #expect(truncate(folder.part.path, 10) == 0) }
            return count.map { bytes[start..<start + $0] }
        })

        await #expect(throws: DownloadError.self) {
            try await session.fetch(.test("/file"), to: folder.file)
        }
        #expect(folder.names == ["file.bin.part"])
        #expect(try Data(contentsOf: folder.part).prefix(10) == bytes.prefix(10))
    }

    @Test(arguments: ["file.bin.part", "file.bin.part.json"])
    func aHardLinkKeepsItsContent(_ name: String) async throws {
        let precious = try folder.write("precious", "precious")
        try FileManager.default.linkItem(at: precious, to: folder.url(name))
        network.stub(.any, .file(bytes).failing(afterBytes: 40))
        await #expect(throws: (any Error).self) { try await download() }
        #expect(try folder.text("precious") == "precious")
        #expect(network.requests.count == (name == "file.bin.part" ? 0 : 1))
    }

    /// A link is replaced, but its reader saw the permissions of the file that it leads to.
    @Test(arguments: [0o600, 0o640, 0o400], [false, true])
    func keepsThePermissions(_ mode: Int, isLink: Bool) async throws {
        let old = try folder.write("old", isLink ? "old" : "file.bin")
        #expect(chmod(old.path, mode_t(mode)) == 0)
        if isLink { try folder.link("file.bin", to: "old") }
        let whileItGrows = Locked(0)
        network.stub(.any) { [folder, bytes] _ in
            whileItGrows.withLock { $0 = permissions(of: folder.part) }
            return .file(bytes)
        }

        try await download()
        #expect(folder.content == bytes)
        #expect(permissions(of: folder.file) == mode)
        #expect(whileItGrows.withLock { $0 } == 0o600)
        if isLink { #expect(try folder.text("old") == "old") }
    }

    @Test(arguments: [false, true])
    func hasThePermissionsOfANewFile(isLinkToNothing: Bool) async throws {
        if isLinkToNothing { try folder.link("file.bin", to: "missing") }
        network.stub(.any, .file(bytes))
        try await download()
        #expect(try permissions(of: folder.file) == permissions(of: folder.write("", "new")))
        #expect(folder.content == bytes)
    }

    @Test func continuesARangeWithoutALengthThatIsCut() async throws {
        network.stub(.any, .file(bytes).failing(afterBytes: 40))
        await #expect(throws: URLError.self) { try await download() }
        let ranges = Locked<[String]>([])
        let session = MockURLSession().intercepting { [bytes] request, _ in
            ranges.withLock { $0.append(request.value(forHTTPHeaderField: "Range") ?? "") }
            let start = request.rangeStart ?? 0
            // It announces the rest, and has 20 bytes.
            return try makeResponse(
                to: request, [bytes[start..<min(start + 20, 100)]], status: 206,
                ["ETag": "\"1\"", "Content-Range": "bytes \(start)-99/100"])
        }

        try await session.fetch(.test("/file"), to: folder.file)
        #expect(folder.content == bytes)
        #expect(ranges.withLock { $0 } == ["bytes=40-", "bytes=60-", "bytes=80-"])
    }

    @Test(arguments: [("ETag", false), ("Last-Modified", false), ("X-Other", true)])
    func saysThatTheNextDownloadStartsOver(_ field: String, _ isSaid: Bool) async {
        network.stub(.any, .data(bytes).header(field, "\"1\"").failing(afterBytes: 40))
        let error = await #expect(throws: APIRequestError.self) {
            try await network.download(TextRequest(), "/file", to: folder.file)
        }
        let sentence =
            "The next download starts over: the response had no ETag and no Last-Modified."
        #expect(error?.description.contains("\n\(sentence)\n") == isSaid)
    }

    /// The last attempt got no response. That of the attempt before it is not shown.
    @Test func theErrorHasNoResponseOfAnEarlierAttempt() async {
        network.stub(.any, .error(.notConnectedToInternet))
        network.stub(
            .any, .data(bytes).header("ETag", "\"1\"").failing(afterBytes: 1), times: .once)
        let error = await #expect(throws: APIRequestError.self) {
            try await network.download(
                TextRequest(), "/file", to: folder.file, retrying: .attempts(2))
        }
        #expect((error?.underlying as? URLError)?.code == .notConnectedToInternet)
        #expect(error?.response == nil)
        #expect(network.requests.count == 2)
    }

    /// The redaction of a request may depend on what the request has made.
    @Test func hidesASecretThatTheRequestKnowsWhenItIsMade() async {
        final class KeyRequest: APIRequest {
            var redaction = Redaction.standard
            func makeRequest(from key: String) -> URLRequest {
                redaction = redaction.adding(values: key)
                return .test("/file")
            }
            func parseResponse(data: Data) -> Data { data }
        }
        network.stub(.any, .json(#"{"message": "no file for s3cret-key-1"}"#, status: 404))

        let error = await #expect(throws: APIRequestError.self) {
            try await network.download(KeyRequest(), "s3cret-key-1", to: folder.file)
        }
        #expect(error?.description.contains("no file for") == true)
        #expect(error?.description.contains("s3cret-key-1") == false)
    }

    @Test func sendsNothingWithoutTheFolder() async throws {
        let missing = folder.url("missing")
        let error = await #expect(throws: DownloadError.self) {
            try await network.fetch(.test("/file"), to: missing.appending(path: "a"))
        }
        let expected = "The folder \(missing.path) does not exist. Create it before the download."
        #expect(error?.description == expected)
        #expect(network.requests.isEmpty)
    }
}

private func permissions(of file: URL) -> Int {
    var status = stat()
    return stat(file.path, &status) == 0 ? Int(status.st_mode & 0o777) : 0
}
