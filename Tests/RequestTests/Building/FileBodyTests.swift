import TestSupport

@testable import APIKitLite

@Suite(.limited) struct FileBodyTests {
    private let post = try! URLRequest("POST", URL(string: "https://h/v1")!)
    private let temporary = try! TemporaryFolder()
    private var folder: URL { temporary.url }

    private func file(_ text: String, _ name: String = "a.txt") throws -> URL {
        try temporary.write(text, name)
    }

    private func bytes(
        of request: URLRequest, in pieces: Int = 1 << 16
    ) throws -> (data: Data, failure: FileBodyError?) {
        let stream = try #require(request.httpBodyStream as? RepeatableBodyStream).reopened()
        stream.open()
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: pieces)
        while stream.hasBytesAvailable {
            let count = stream.read(&buffer, maxLength: pieces)
            if count > 0 { data += buffer[..<count] }
        }
        return (data, stream.failure)
    }

    @Test(arguments: [0, 1, 5, 7_001, 200_000])
    func readsAFileEachTimeFromTheStart(_ size: Int) throws {
        let text = String(String(repeating: "0123456789", count: 20_000).prefix(size))
        let request = try post.fileBody(file(text))

        for pieces in [1 << 16, 7_001] {
            let (data, failure) = try bytes(of: request, in: pieces)
            #expect(data.elementsEqual(text.utf8))
            #expect(failure == nil)
        }
        #expect(request.httpBody == nil)
        #expect(request.repeatableBody?.size == size)
    }

    @Test func goesToTheStartWhenItIsOpenedAgain() throws {
        let request = try post.fileBody(file("hello"))
        let stream = try #require(request.httpBodyStream as? RepeatableBodyStream).reopened()
        var buffer = [UInt8](repeating: 0, count: 3)

        for _ in 0..<2 {
            stream.open()
            #expect(stream.read(&buffer, maxLength: 0) == 0)
            #expect(stream.hasBytesAvailable)
            #expect(stream.read(&buffer, maxLength: 3) == 3)
            #expect(buffer == Array("hel".utf8))
        }
    }

    @Test(arguments: [("a.b.png", "image/png"), (".png", "application/octet-stream")])
    func namesTheTypeByTheExtension(_ name: String, _ type: String) throws {
        let file = try file("x", name)

        #expect(try post.fileBody(file).contentType == type)
        #expect(MultipartPart.file("f", at: file).contentType == type)
        #expect(try post.fileBody(file, contentType: "a/b").contentType == "a/b")
        #expect(MultipartPart.file("f", at: file, contentType: "a/b").contentType == "a/b")
        #expect(MultipartPart.file("f", at: file, fileName: "other.txt").fileName == "other.txt")
        let given = try post.header("Content-Type", "c/d")
        #expect(try given.fileBody(file).contentType == "c/d")
        #expect(try given.fileBody(file, contentType: "a/b").contentType == "a/b")
    }

    @Test func refusesWhatIsNotAFile() throws {
        let missing = folder.appending(path: "missing.txt")
        let tooLong = folder.appending(path: String(repeating: "x", count: 300))
        let withNUL = try #require(URL(string: file("x", "nul").absoluteString + "%00.txt"))
        let pipe = folder.appending(path: "pipe")
        #expect(mkfifo(pipe.path(percentEncoded: false), 0o600) == 0)
        let rows: [(URL, (URL) -> FileBodyError)] = try [
            (missing, FileBodyError.missing),
            (file("x").appending(path: "inside"), FileBodyError.missing),
            (folder, FileBodyError.notAFile), (pipe, FileBodyError.notAFile),
            (URL(string: "https://h/a.txt")!, FileBodyError.notAFile),
            (URL(filePath: "/dev/null"), FileBodyError.notAFile), (withNUL, FileBodyError.notAFile),
            (tooLong, { FileBodyError.unreadable($0, .ENAMETOOLONG) }),
        ]
        for (url, reason) in rows {
            let expected = reason(url)
            #expect(throws: expected) { try post.fileBody(url) }
            #expect(throws: expected) { try post.multipartBody([.file("f", at: url)]) }
        }
    }

    @Test(.enabled(if: getuid() != 0, "The superuser may read every file."))
    func refusesAFileThatMustNotBeRead() throws {
        let file = try file("hello")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0], ofItemAtPath: file.path(percentEncoded: false))

        #expect(throws: FileBodyError.unreadable(file, .EACCES)) { try post.fileBody(file) }
    }

    @Test func followsASymbolicLink() throws {
        let link = folder.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file("hello"))

        #expect(try bytes(of: post.fileBody(link)).data == Data("hello".utf8))
    }

    /// Opens a file of five bytes, reads three of them, and then changes it.
    private func reading(_ change: (URL) throws -> Void) throws -> (RepeatableBodyStream, URL) {
        let file = try file("hello")
        let stream = RepeatableBodyStream(try #require(post.fileBody(file).repeatableBody))
        var buffer = [UInt8](repeating: 0, count: 3)
        stream.open()
        #expect(stream.read(&buffer, maxLength: 3) == 3)
        try change(file)
        return (stream, file)
    }

    @Test(arguments: [2, 6])
    func withholdsTheEndOfAFileThatIsResizedWhileItIsRead(_ size: Int) throws {
        let (stream, file) = try reading {
            try FileHandle(forUpdating: $0).truncate(atOffset: UInt64(size))
        }
        var buffer = [UInt8](repeating: 0, count: 3)

        #expect(stream.read(&buffer, maxLength: 3) == -1)
        #expect(stream.failure == .resized(file, from: 5, to: size))
        #expect(!stream.hasBytesAvailable)
    }

    @Test func readsAFileToItsEndAlthoughItIsRemoved() throws {
        let (stream, _) = try reading { try FileManager.default.removeItem(at: $0) }
        var buffer = [UInt8](repeating: 0, count: 3)

        #expect([2, 0] == (1...2).map { _ in stream.read(&buffer, maxLength: 3) })
        #expect(stream.failure == nil)
    }

    @Test func makesTheFormThatPartsInMemoryMake() throws {
        let texts = ["", "hello", "--x\r\nend", String(repeating: "0123456789", count: 20_000)]
        let onDisk: [MultipartPart] = try texts.enumerated().flatMap { index, text in
            [
                .text("title", "t\(index)"),
                .file("f\(index)", at: try file(text, "f\"\(index).png")),
            ]
        }
        let inMemory = onDisk.map { part in
            guard let file = part.file else { return part }
            return .file(
                part.name, fileName: file.lastPathComponent, contentType: "image/png",
                data: try! Data(contentsOf: file))
        }
        for count in 0...onDisk.count {
            let streamed = try post.multipartBody(Array(onDisk.prefix(count)), boundary: "b0")
            let whole = try post.multipartBody(Array(inMemory.prefix(count)), boundary: "b0")

            let data = try streamed.httpBody ?? bytes(of: streamed, in: 4_096).data
            #expect(data == whole.httpBody)
            #expect(streamed.contentType == whole.contentType)
        }
    }

    @Test func takesARandomBoundaryForFilesOnDisk() throws {
        let parts: [MultipartPart] = [.file("f", at: try file("hello"))]
        let types = try (0..<2).map { _ in try post.multipartBody(parts).contentType }

        #expect(types[0] != types[1])
        #expect(types[0]?.hasPrefix("multipart/form-data; boundary=part-") == true)
    }

    @Test func describesFilesInTheCurlCommand() throws {
        let file = try file("hello", "it's.png")
        let path = file.path(percentEncoded: false).replacingOccurrences(of: "'", with: #"'\''"#)
        let form = try post.multipartBody([.text("t", "x"), .file("f", at: file)], boundary: "b0")

        #expect(
            try post.fileBody(file).curlCommand()
                == "curl -X POST 'https://h/v1' -H 'Content-Type: image/png'"
                + " --data-binary @'\(path)'")
        let size = try bytes(of: form).data.count
        #expect(form.curlCommand().hasSuffix("--data-raw '<multipart/form-data, \(size) bytes>'"))
    }
}

extension URLRequest {
    fileprivate var contentType: String? { value(forHTTPHeaderField: "Content-Type") }
}
