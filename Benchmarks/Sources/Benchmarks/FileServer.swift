import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// The bytes of a large file that need not exist: the same 8 MB again and again. Their number is
/// prime, so that a wrong offset shows.
struct FileContent {
    private let block: [UInt8]

    init(version: UInt64) {
        var state = version
        var block: [UInt8] = []
        block.reserveCapacity(8_388_600)
        while block.count < 8_388_593 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            withUnsafeBytes(of: state ^ state >> 29) { block.append(contentsOf: $0) }
        }
        self.block = Array(block.prefix(8_388_593))
    }

    func bytes(_ range: Range<Int>) -> Data {
        var data = Data(capacity: range.count)
        forEachPiece(of: range) { data.append(contentsOf: $0) }
        return data
    }

    func forEachPiece(of range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Void)
        rethrows
    {
        try block.withUnsafeBytes { bytes in
            var start = range.lowerBound
            while start < range.upperBound {
                let offset = start % bytes.count
                let count = min(bytes.count - offset, range.upperBound - start)
                try body(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
                start += count
            }
        }
    }
}

/// Serves one large file: `/file` with a strong validator, `/plain` without one, and `/changing`,
/// slow and with another version every three seconds. See ``serveConnections(_:)``.
func serveFile(mebibytes: Int) throws {
    let versions = [FileContent(version: 1), FileContent(version: 2)]
    try serveConnections { respond($0, mebibytes << 20, versions) }
}

private func respond(_ connection: Int32, _ length: Int, _ versions: [FileContent]) {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    var head = ""
    while true {
        while !head.contains("\r\n\r\n") {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            head += String(decoding: buffer[..<count], as: UTF8.self)
        }
        let lines = head.components(separatedBy: "\r\n")
        head = ""
        let path = lines[0].split(separator: " ").dropFirst().first ?? ""
        func field(_ name: String) -> String? {
            lines.first { $0.lowercased().hasPrefix(name + ": ") }.map {
                String($0.dropFirst(name.count + 2))
            }
        }
        let version = path == "/changing" ? Int(Date().timeIntervalSince1970) / 3 % 2 : 0
        let tag = "\"\(version + 1)\""
        var start = 0
        if path != "/plain", field("if-range") == tag,
            let range = field("range")?.dropFirst(6).dropLast(), let first = Int(range)
        {
            start = first
        }
        var response = start == 0 ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 206 Partial Content\r\n"
        if start > 0 { response += "Content-Range: bytes \(start)-\(length - 1)/\(length)\r\n" }
        if path != "/plain" { response += "ETag: \(tag)\r\n" }
        response += "Content-Length: \(length - start)\r\n\r\n"
        do {
            try sendAll(connection, response)
            for first in stride(from: start, to: length, by: 1 << 18) {
                if path == "/changing" { Thread.sleep(forTimeInterval: 0.015) }
                try versions[version].forEachPiece(of: first..<min(first + (1 << 18), length)) {
                    try sendAll(connection, $0)
                }
            }
        } catch {
            return
        }
    }
}
