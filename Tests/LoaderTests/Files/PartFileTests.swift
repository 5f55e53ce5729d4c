import TestSupport

@testable import APIKitLite

@Suite(.limited) struct PartFileTests {
    private let folder = try! TemporaryFolder()
    private let bytes = Data.pattern(100)
    private let record = ResumeRecord(at: 0, of: 100)

    /// A part that has begun, with some bytes.
    private func begunPart(_ bytes: Data) throws -> PartFile {
        let part = try PartFile(of: folder.file)
        try part.begin(at: 0, end: 100, record: record)
        try part.write(bytes)
        return part
    }

    /// The error of opening the part.
    private func openingError(_ file: URL) -> (any Error)? {
        do {
            try PartFile(of: file).abandon()
            return nil
        } catch { return error }
    }

    @Test func staysIfItCannotBeMoved() throws {
        let part = try begunPart(bytes)
        try folder.makeFolder()
        #expect(throws: (any Error).self) { try part.finish() }
        part.abandon()
        try folder.remove("file.bin")
        #expect(try PartFile(of: folder.file).record?.offset == 100)
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    }

    /// The process may be killed after any write: then the files are as they are here.
    @Test func storesTheRecordBeforeTheFirstByte() throws {
        let part = try PartFile(of: folder.file)
        try part.begin(at: 0, end: 100, record: record)
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
        let text = try Data(contentsOf: folder.record)
        let stored = try JSONDecoder().decode(ResumeRecord.self, from: text)
        #expect(stored.inode == (try inode(of: folder.part)))
        for count in 0...99 {
            #expect(try Data(contentsOf: folder.record) == text)
            #expect(try Data(contentsOf: folder.part) == bytes.prefix(count))
            if count < 2 || count.isMultiple(of: 9) {
                let copy = try TemporaryFolder()
                try copy.leavePart(bytes.prefix(count), stored)
                let next = try PartFile(of: copy.file)
                #expect(next.record?.offset == (count == 0 ? nil : Int64(count)))
                next.abandon()
            }
            try part.write(bytes[count..<count + 1])
        }
        part.abandon()
    }

    /// Between the two steps of a new start, a kill leaves the part without a record.
    @Test func givesUpTheRecordBeforeTheBytes() throws {
        try folder.leavePart(bytes.prefix(40), record)
        let part = try PartFile(of: folder.file)
        try part.begin(at: 0, end: 50, record: nil)
        #expect(folder.names == ["file.bin.part"])
        try part.write(bytes.suffix(50))
        #expect(folder.names == ["file.bin.part"])
        try part.finish()
        #expect(folder.content == bytes.suffix(50))
    }

    @Test(arguments: [
        "", "{", "[]", "{\"urlHash\": 1}", "null",
        #"{"urlHash": 1, "validator": "\"1\"", "length": 39}"#,
        #"{"urlHash": 1, "validator": "\"1\"", "length": 0}"#,
        #"{"urlHash": 1, "validator": "\"1\"", "length": -1}"#,
        #"{"urlHash": 1, "validator": "\"1\"", "length": "40"}"#,
        #"{"urlHash": 1, "validator": "\"1\"", "length": 99999999999999999999}"#,
        String(repeating: " ", count: 1 << 17),
    ])
    func ignoresARecordThatDoesNotFit(_ text: String) throws {
        try bytes.prefix(40).write(to: folder.part)
        let inode = try inode(of: folder.part)
        try Data(text.replacing(#""urlHash""#, with: #""inode": \#(inode), "urlHash""#).utf8)
            .write(to: folder.record)
        let part = try PartFile(of: folder.file)
        #expect(part.record == nil)
        part.abandon()
        #expect(folder.names == [])
    }

    /// The name of the record is too long, or a folder has the name.
    @Test(arguments: [false, true]) func isWrittenWithoutARecord(_ isNameTooLong: Bool) throws {
        let file = folder.url(isNameTooLong ? String(repeating: "a", count: 247) : "file.bin")
        if !isNameTooLong { try folder.makeFolder("file.bin.part.json") }
        let part = try PartFile(of: file)
        try part.begin(at: 0, end: 100, record: record)
        for byte in bytes { try part.write(Data([byte])) }
        try part.finish()
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test func refusesMoreThanWasAnnounced() throws {
        let part = try begunPart(bytes)
        #expect(throws: DownloadError.wrongLength(expected: 100, received: 101)) {
            try part.write(Data([1]))
        }
        part.abandon()
        #expect(folder.names == [])
    }

    @Test func refusesWhatIsNoFile() throws {
        try folder.makeFolder()
        try folder.link("link", to: "file.bin")
        let nul = URL(string: folder.url.absoluteString + "a%00b")!
        // A device that this process may replace would be replaced.
        try #require(mkfifo(folder.url("pipe").path, 0o600) == 0)
        let remote = URL(string: "https://example.com/a")!
        for url in [folder.file, folder.url, folder.url("link"), remote, nul, folder.url("pipe")] {
            #expect(throws: RequestBuildingError.self) { try PartFile(of: url) }
        }
        #expect(folder.names == ["file.bin", "link", "pipe"])
    }

    @Test(
        arguments: [
            ("missing/file", .ENOENT), (String(repeating: "a", count: 255), .ENAMETOOLONG),
            ("link", .ELOOP), ("folder", .EISDIR), ("pipe", .EEXIST),
        ] as [(String, POSIXErrorCode)])
    func refusesAPartThatIsNoFileOfItsOwn(_ name: String, _ code: POSIXErrorCode) throws {
        try folder.write("other", "other")
        try folder.link("link.part", to: "other")
        try folder.makeFolder("folder.part")
        #expect(mkfifo(folder.url("pipe.part").path, 0o600) == 0)
        let file = folder.url(name)
        let error = DownloadError.file(path: file.path + ".part", code: code)
        #expect(throws: error) { try PartFile(of: file) }
        #expect(try folder.text("other") == "other")
    }

    // Reading it would wait forever.
    @Test func ignoresANamedPipeInPlaceOfTheRecord() throws {
        #expect(mkfifo(folder.record.path, 0o600) == 0)
        #expect(try PartFile(of: folder.file).record == nil)
    }

    @Test func replacesALinkAtTheTarget() throws {
        try folder.write("old", "other")
        try folder.link("file.bin", to: "other")
        try begunPart(bytes).finish()
        #expect(folder.content == bytes)
        #expect(try folder.text("other") == "old")
    }

    /// Each child process has a copy for a moment after its start.
    @Test func isFreeWhileAChildProcessHasACopyOfItsDescriptor() throws {
        let part = try begunPart(bytes.prefix(40))
        var (file, other) = (stat(), stat())
        #expect(stat(folder.part.path, &file) == 0)
        let copies = (0..<4_096).filter { descriptor in
            fstat(descriptor, &other) == 0 && other.st_ino == file.st_ino
                && other.st_dev == file.st_dev
        }
        .map { dup($0) }
        defer { for copy in copies { close(copy) } }
        #expect(copies.count == 1)
        #expect(openingError(folder.file) as? DownloadError == .fileInUse(folder.file))

        part.abandon()
        #expect(openingError(folder.file) == nil)
    }

    /// The holder of the lock moved the file away between opening and locking.
    @Test func writersInTurnNeverMixTheirBytes() async throws {
        let (file, bytes, record) = (folder.file, bytes, record)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let mine = Data(bytes.map { $0 &+ UInt8(number) })
                    for _ in 0..<100 {
                        guard let part = try? PartFile(of: file) else { continue }
                        try? part.begin(at: 0, end: 100, record: record)
                        for byte in 0..<10 { try? part.write(mine[byte * 10..<byte * 10 + 10]) }
                        let isLeft = !number.isMultiple(of: 2)
                        #expect(throws: Never.self) { try isLeft ? part.abandon() : part.finish() }
                        if let content = try? Data(contentsOf: file) {
                            let first = content.first.map { $0 &- bytes[0] } ?? 0
                            #expect(content == Data(bytes.map { $0 &+ first }))
                        }
                    }
                }
            }
        }
    }
}
