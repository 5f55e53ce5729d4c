import APIKitLiteTesting
import TestSupport

@testable import APIKitLite

extension TemporaryFolder {
    /// The file that the tests download.
    var file: URL { url.appending(path: "file.bin") }
    var part: URL { url.appending(path: "file.bin.part") }
    var record: URL { url.appending(path: "file.bin.part.json") }

    /// The names in the folder.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    /// The bytes that a reader finds under the name of the file.
    var content: Data? { try? Data(contentsOf: file) }
    func url(_ name: String) -> URL { url.appending(path: name) }
    func text(_ name: String) throws -> String { try Data(contentsOf: url(name)).text }

    func makeFolder(_ name: String = "file.bin") throws {
        try FileManager.default.createDirectory(at: url(name), withIntermediateDirectories: false)
    }

    func link(_ name: String, to other: String) throws {
        try FileManager.default.createSymbolicLink(at: url(name), withDestinationURL: url(other))
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(at: url(name)) }

    /// Leaves a part and its record, as an interrupted download does.
    func leavePart(_ bytes: Data, _ record: ResumeRecord) throws {
        try bytes.write(to: part)
        var record = record
        record.inode = try inode(of: part)
        try JSONEncoder().encode(record).write(to: self.record)
    }
}

extension MockNetwork {
    /// What each request asked for.
    var ranges: [String?] { requests.map { $0.header("Range") } }

    /// Leaves a part with 40 bytes, as the first of two downloads.
    func loseDownload(of request: URLRequest = .test("file"), to folder: TemporaryFolder) async {
        stub(.any, .file(.pattern(100)).failing(afterBytes: 40), times: .once)
        await #expect(throws: URLError.self) { try await fetch(request, to: folder.file) }
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
    }
}

extension URLRequest {
    /// The first byte that it asks for, or nil if it asks for the whole file.
    var rangeStart: Int? {
        value(forHTTPHeaderField: "Range").flatMap { Int($0.dropFirst(6).dropLast()) }
    }
}

extension HTTPSession {
    /// Downloads, and throws the original error of the stage `.transport`, which the tests compare.
    @discardableResult
    func fetch(
        _ request: URLRequest, to file: URL,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil,
        retrying policy: RetryPolicy = .never, clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) async throws -> HTTPURLResponse {
        do {
            return try await download(
                request, to: file, progress: progress, retrying: policy, clock: clock,
                random: random)
        } catch { throw error.stage == .transport ? error.underlying : error }
    }
}

func inode(of file: URL) throws -> UInt64 {
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
}

extension ResumeRecord {
    /// The record of a part of `https://api.example.com/file`.
    init(at offset: Int64, of length: Int64?) {
        let url = URL(string: "https://api.example.com/file")
        self.init(urlHash: Self.hash(of: url), validator: "\"1\"", offset: offset, length: length)
    }
}

extension PartFile {
    func begin(at offset: Int64, end: Int64?, record: ResumeRecord?) throws {
        try begin(ContentRange(start: offset, end: end, length: nil), record: record)
    }
}

extension Data {
    /// Bytes that differ from each other at most distances.
    static func pattern(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }
}

extension MockResponse {
    /// A file that can be resumed.
    static func file(_ data: Data, tag: String = "\"1\"") -> MockResponse {
        .data(data).header("ETag", tag).acceptingRanges
    }

    /// Some bytes of a file, as the response to a range.
    static func part(of file: Data, _ range: Range<Int>) -> MockResponse {
        let (first, last) = (range.lowerBound, range.upperBound - 1)
        return .data(file.subdata(in: range), status: 206).header("ETag", "\"1\"")
            .header("Content-Range", "bytes \(first)-\(last)/\(file.count)")
    }
}

/// A response with these pieces, and with no fields but these.
func makeResponse(
    to request: URLRequest, _ pieces: [Data], status: Int = 200, _ fields: [String: String]
) throws -> (HTTPBody, HTTPURLResponse) {
    let response = HTTPURLResponse(
        url: request.url!, statusCode: status, httpVersion: nil, headerFields: fields)!
    return (HTTPBody(pieces), response)
}
