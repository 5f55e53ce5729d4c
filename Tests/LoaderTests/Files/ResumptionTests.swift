import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

/// What a part on the disk is continued with.
@Suite(.limited) struct ResumptionTests {
    private let folder = try! TemporaryFolder()
    private let network = MockNetwork()
    private let bytes = Data.pattern(100)

    private func download(_ request: URLRequest = .test("file")) async throws {
        try await network.fetch(request, to: folder.file)
    }

    private func request(_ url: String) -> URLRequest { URLRequest(url: URL(string: url)!) }

    @Test(
        arguments: [
            (40, 100, "bytes=40-"), (1, 100, "bytes=1-"), (0, 100, nil),
            // The last byte of a part that may be whole again, so that the response is a 206. A
            // process may be killed after the last byte.
            (100, 100, "bytes=99-"), (100, nil, "bytes=99-"), (40, nil, "bytes=39-"),
            (1, 1, nil), (1, nil, nil), (0, nil, nil),
        ] as [(Int, Int64?, String?)])
    func asksForTheRest(_ count: Int, _ length: Int64?, _ range: String?) async throws {
        try folder.leavePart(bytes.prefix(count), ResumeRecord(at: Int64(count), of: length))
        network.stub(.any, .file(bytes))
        try await download()
        #expect(folder.content == bytes)
        #expect(network.ranges == [range])
        #expect(network.requests[0].header("If-Range") == range.map { _ in "\"1\"" })
    }

    private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let later = "Sun, 06 Nov 1994 08:49:38 GMT"

    @Test(
        arguments: [
            (["ETag": "\"1\""], "\"1\""), (["ETag": "\"\""], "\"\""),
            (["ETag": "\"1\"", "Last-Modified": modified, "Date": later], "\"1\""),
            (["ETag": "\"1\"", "Accept-Ranges": "bytes"], "\"1\""),
            (["ETag": "\"1\"", "Content-Encoding": "Identity"], "\"1\""),
            (["Last-Modified": modified, "Date": later], modified), ([:], nil),
            // RFC 9110, section 13.1.5: a client that has an entity tag does not send a date.
            (["ETag": "W/\"1\""], nil), (["ETag": "1"], nil),
            (["ETag": "W/\"1\"", "Last-Modified": modified, "Date": later], nil),
            (["ETag": "1", "Last-Modified": modified, "Date": later], nil),
            (["ETag": "\"a\"b\""], nil), (["ETag": "\"a b\""], nil), (["ETag": "\"é\""], nil),
            (["ETag": "\""], nil), (["Last-Modified": modified], nil),
            (["Last-Modified": modified, "Date": modified], nil),
            (["Last-Modified": later, "Date": modified], nil),
            (["Last-Modified": "yesterday", "Date": later], nil),
            (["ETag": "\"1\"", "Accept-Ranges": "none"], nil),
            (["ETag": "\"1\"", "Content-Encoding": "gzip"], nil),
        ] as [([String: String], String?)])
    func continuesOnlyWithAStrongValidator(
        _ fields: [String: String], _ validator: String?
    ) async throws {
        let lost = BodySession(headers: fields) { [bytes] in
            HTTPBody([bytes.prefix(40)], throwing: URLError(.networkConnectionLost))
        }
        await #expect(throws: URLError(.networkConnectionLost)) {
            try await lost.fetch(.test("file"), to: folder.file)
        }
        #expect(folder.names.isEmpty == (validator == nil))

        network.stub(.any, .file(bytes))
        try await download()
        #expect(folder.content == bytes)
        #expect(network.requests[0].header("If-Range") == validator)
    }

    /// A proxy may have changed the body of a 203.
    @Test func continuesNoCopyOfAProxy() async throws {
        let copy = MockResponse.data(bytes, status: 203).header("ETag", "\"1\"")
        network.stub(.any, copy.failing(afterBytes: 40))
        await #expect(throws: URLError.self) { try await download() }
        #expect(folder.names == [])
    }

    @Test(arguments: [
        ("https://api.example.com/two", false), ("https://api.example.com/one?id=2", false),
        ("https://api.example.com/one?id=1&a=b", false),
        ("https://api.example.com:8443/one?id=1", false),
        ("https://user:pw@api.example.com/one?id=1", true),
        ("https://api.example.com/one?id=1#section", true),
    ])
    func onlyTheSameFileIsContinued(_ url: String, _ isSame: Bool) async throws {
        await network.loseDownload(of: request("https://api.example.com/one?id=1"), to: folder)
        network.stub(.any, .file(bytes))
        try await download(request(url))
        #expect(folder.content == bytes)
        #expect(network.ranges == [nil, isSame ? "bytes=40-" : nil])
    }

    @Test(
        arguments: [
            ("fits", [:], true),
            ("no Content-Length, as with chunks", ["Content-Length": nil], true),
            ("not encoded", ["Content-Encoding": "identity"], true),
            ("unit in upper case", ["Content-Range": "BYTES 40-99/100"], true),
            ("earlier", ["Content-Range": "bytes 39-99/100", "Content-Length": "61"], false),
            ("from 0", ["Content-Range": "bytes 0-99/100", "Content-Length": "100"], false),
            ("later", ["Content-Range": "bytes 41-99/100", "Content-Length": "59"], false),
            ("longer file", ["Content-Range": "bytes 40-99/101"], false),
            ("shorter file", ["Content-Range": "bytes 40-98/99", "Content-Length": "59"], false),
            ("unknown length", ["Content-Range": "bytes 40-99/*"], false),
            ("other entity tag", ["ETag": "\"2\""], false),
            ("weak entity tag", ["ETag": "W/\"1\""], false),
            ("entity tag without quotation marks", ["ETag": "1"], false),
            ("no entity tag", ["ETag": nil], false),
            ("a date as well", ["Last-Modified": modified], true),
            ("an entity tag became a date", ["ETag": nil, "Last-Modified": modified], false),
            ("gzip", ["Content-Encoding": "gzip"], false),
            ("no Content-Range", ["Content-Range": nil], false),
            ("the form of a 416", ["Content-Range": "bytes */100"], false),
            ("other unit", ["Content-Range": "items 40-99/100"], false),
            ("no unit", ["Content-Range": "40-99/100"], false),
            ("last before first", ["Content-Range": "bytes 99-40/100"], false),
            ("last beyond the length", ["Content-Range": "bytes 40-100/100"], false),
            ("no length", ["Content-Range": "bytes 40-99"], false),
            ("two fields, joined", ["Content-Range": "bytes 40-99/100, bytes 40-99/100"], false),
            ("a sign", ["Content-Range": "bytes +40-99/100"], false),
            ("too large a number", ["Content-Range": "bytes 40-99/99999999999999999999"], false),
            (
                "several ranges",
                ["Content-Type": "multipart/byteranges; boundary=x", "Content-Range": nil], false
            ),
            ("Content-Length of the whole file", ["Content-Length": "100"], false),
            ("no number as Content-Length", ["Content-Length": "six"], false),
        ] as [(String, [String: String?], Bool)])
    func writesOnlyAPartThatFits(
        _ name: String, _ changes: [String: String?], _ fits: Bool
    ) async throws {
        let fields = Self.fields(60, "bytes 40-99/100", changes.compactMapValues(\.self))
            .filter { changes[$0.key] != .some(nil) }
        try await expectPart(fields, fits: fits, validator: "\"1\"")
    }

    @Test(
        arguments: [
            (["Last-Modified": modified], true),
            (["Last-Modified": modified, "ETag": "\"1\""], true),
            (["Last-Modified": later], false), ([:], false),
        ] as [([String: String], Bool)])
    func writesOnlyAPartWithTheSameDate(_ fields: [String: String], _ fits: Bool) async throws {
        try await expectPart(
            fields.merging(["Content-Range": "bytes 40-99/100"]) { $1 }, fits: fits,
            validator: Self.modified)
    }

    private func expectPart(
        _ fields: [String: String], fits: Bool, validator: String
    ) async throws {
        var record = ResumeRecord(
            urlHash: ResumeRecord.hash(of: URLRequest.test("file").url), validator: validator)
        record.length = 100
        try folder.leavePart(bytes.prefix(40), record)
        try await expectResponse(206, fields, bytes.dropFirst(40), writing: fits ? bytes : nil)
    }

    /// Responds to the request for the rest like this, to any other with the whole file.
    private func expectResponse(
        _ status: Int, _ fields: [String: String], _ body: Data, writing written: Data?,
        _ comment: Comment? = nil
    ) async throws {
        network.stub(.any, .file(bytes))
        let session = network.intercepting { request, next in
            guard request.rangeStart != nil else { return try await next(request) }
            return try makeResponse(to: request, [body], status: status, fields)
        }
        try await session.fetch(.test("file"), to: folder.file)
        #expect(folder.content == written ?? bytes, comment)
        #expect(network.requests.count == (written == nil ? 1 : 0), comment)
        #expect(folder.names == ["file.bin"], comment)
    }

    enum Outcome { case isWritten, asksAgain }

    private static func fields(
        _ length: Int?, _ range: String? = nil, _ more: [String: String] = [:]
    ) -> [String: String] {
        ["ETag": "\"1\"", "Content-Length": length.map { "\($0)" }, "Content-Range": range]
            .compactMapValues(\.self).merging(more) { $1 }
    }

    /// How a response with the status of a whole file follows the request for the last 60 of 100
    /// bytes. `nil` stands for a part of which the length is unknown.
    private static let wholes: [(String, [String: String], known: Int64?, Int, Outcome)] = [
        ("the whole file", fields(100), 100, 100, .isWritten),
        ("its length was unknown", fields(100), nil, 100, .isWritten),
        ("chunks, as before", fields(nil), nil, 100, .isWritten),
        ("the range of the whole file", fields(100, "bytes 0-99/100"), 100, 100, .isWritten),
        ("the form of a 416", fields(100, "bytes */100"), 100, 100, .isWritten),
        ("another file", fields(60, nil, ["ETag": "\"2\""]), 100, 60, .isWritten),
        ("another file in chunks", fields(nil, nil, ["ETag": "\"2\""]), 100, 60, .isWritten),
        ("no entity tag", fields(60, nil, ["ETag": ""]), 100, 60, .isWritten),
        ("the rest", fields(60, "bytes 40-99/100"), 100, 60, .asksAgain),
        ("the rest in chunks", fields(nil, "bytes 40-99/100"), 100, 60, .asksAgain),
        ("the rest, unknown", fields(nil, "bytes 40-99/*"), nil, 60, .asksAgain),
        (
            "the rest of another file", fields(60, "bytes 40-99/100", ["ETag": "\"2\""]), 100, 60,
            .asksAgain
        ),
        ("the beginning", fields(60, "bytes 0-59/100"), nil, 60, .asksAgain),
        ("range and length differ", fields(60, "bytes 0-99/100"), 100, 60, .asksAgain),
        ("the rest without a range", fields(60), 100, 60, .asksAgain),
        ("perhaps the rest", fields(nil), 100, 60, .asksAgain),
        ("longer", fields(101), 100, 101, .asksAgain),
        ("shorter than the part", fields(39), nil, 39, .asksAgain),
        ("encoded", fields(60, nil, ["Content-Encoding": "gzip"]), 100, 60, .asksAgain),
    ]

    @Test(arguments: [200, 203], wholes.indices)
    func aWholeFileAgreesWithItsPart(_ status: Int, _ index: Int) async throws {
        let (name, fields, known, count, outcome) = Self.wholes[index]
        // With an unknown length, the last byte is requested again.
        try folder.leavePart(bytes.prefix(40), ResumeRecord(at: 40, of: known))
        let whole = Data.pattern(200).dropFirst(100).prefix(count)
        try await expectResponse(
            status, fields, whole, writing: outcome == .isWritten ? whole : nil, "\(name)")
    }

    /// Nothing shows where such a body belongs.
    @Test(arguments: [200, 203])
    func failsForAPartWithTheStatusOfTheWhole(_ status: Int) async throws {
        let fields = Self.fields(60, "bytes 40-99/100")
        let session = BodySession(status: status, headers: fields) { [bytes] in
            HTTPBody([bytes.dropFirst(40)])
        }
        for leavesPart in [false, true] {
            if leavesPart { try folder.leavePart(bytes.prefix(40), ResumeRecord(at: 40, of: 100)) }
            await #expect(throws: DownloadError.wrongLength(expected: 100, received: 60)) {
                try await session.fetch(.test("file"), to: folder.file)
            }
            #expect(folder.content == nil)
            #expect(folder.names == (leavesPart ? ["file.bin.part", "file.bin.part.json"] : []))
        }
    }

    @Test func aFailureKeepsThePartOfAnotherFile() async throws {
        await network.loseDownload(of: .test("one"), to: folder)
        network.stub(.any, .file(bytes))
        network.stub(.get("/two"), .status(404))
        await #expect(throws: APIRequestError.self) { try await download(.test("two")) }
        try await download(.test("one"))
        #expect(network.ranges.last == "bytes=40-")
    }

    @Test func theRecordHasNoSecret() async throws {
        let request = request("https://api.example.com/file?token=secret")
        await network.loseDownload(of: request, to: folder)
        let record = try String(contentsOf: folder.record, encoding: .utf8)
        #expect(!record.contains("secret"))
        #expect(record.contains("validator"))
    }
}
