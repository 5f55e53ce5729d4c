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

/// A server of one large file on bare sockets, a thread for each connection: `/file` with a strong
/// validator, `/plain` without one, and `/changing`, slow and with another version every three seconds. Prints its
/// URL, and ends with its standard input.
func serveFile(mebibytes: Int) throws {
    signal(SIGPIPE, SIG_IGN)
    #if canImport(Glibc)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(listener, $0, size) == 0 && listen(listener, 64) == 0
                && getsockname(listener, $0, &size) == 0
        }
    }
    guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    let versions = [FileContent(version: 1), FileContent(version: 2)]
    let thread = Thread {
        while true {
            let connection = accept(listener, nil, nil)
            if connection < 0 { continue }
            Thread { answer(connection, mebibytes << 20, versions) }.start()
        }
    }
    thread.start()
    print("http://127.0.0.1:\(address.sin_port.bigEndian)")
    fflush(nil)
    _ = FileHandle.standardInput.readDataToEndOfFile()
}

private func answer(_ connection: Int32, _ length: Int, _ versions: [FileContent]) {
    defer { close(connection) }
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
        var answer = start == 0 ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 206 Partial Content\r\n"
        if start > 0 { answer += "Content-Range: bytes \(start)-\(length - 1)/\(length)\r\n" }
        if path != "/plain" { answer += "ETag: \(tag)\r\n" }
        answer += "Content-Length: \(length - start)\r\n\r\n"
        do {
            try answer.utf8.withContiguousStorageIfAvailable {
                try sendAll(connection, UnsafeRawBufferPointer($0))
            }
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

private func sendAll(_ connection: Int32, _ bytes: UnsafeRawBufferPointer) throws {
    var done = 0
    while done < bytes.count {
        let count = send(connection, bytes.baseAddress! + done, min(bytes.count - done, 1 << 18), 0)
        guard count > 0 else { throw POSIXError(.EPIPE) }
        done += count
    }
}
