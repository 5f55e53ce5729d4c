import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport

extension TemporaryFolder {
    /// The file that the tests download.
    var file: URL { url.appending(path: "file.bin") }
    var part: URL { url.appending(path: "file.bin.part") }
    var record: URL { url.appending(path: "file.bin.part.json") }

    /// The names in the folder.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    /// What a reader finds under the name of the file.
    var content: Data? { try? Data(contentsOf: file) }

    /// Leaves a part and its record, as an interrupted download does.
    func leavePart(_ bytes: Data, _ record: ResumeRecord) throws {
        try bytes.write(to: part)
        try JSONEncoder().encode(record).write(to: self.record)
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
}

/// A hash function that is short enough for a test: FNV-1a.
struct ShortHash: Sendable {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func update(_ data: Data) {
        for byte in data { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    }

    var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: state >> ($0 * 8)) } }

    static func check(of data: Data) -> DigestCheck {
        var hash = ShortHash()
        hash.update(data)
        let text = hash.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return DigestCheck(
            text.uppercased(), of: ShortHash(), update: { $0.update($1) }, finish: { $0.bytes })
    }
}

/// The request for a file, whose input is its path.
struct FileRequest: APIRequest {
    var baseURL = URL(string: "https://api.example.com")!

    func makeRequest(from path: String) throws -> URLRequest {
        try URLRequest("GET", baseURL, path: path)
    }

    func parseResponse(data: Data) throws -> Data { data }
}
