import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

#if os(macOS) || os(Linux)
private let hasCurl = ["/usr/bin", "/usr/local/bin", "/bin"].contains {
    FileManager.default.isExecutableFile(atPath: $0 + "/curl")
}

/// The command, pasted into a shell, sends what the request says.
@Suite(
    .enabled(if: hasCurl, "There is no curl on this machine."), .limited,
    .usesSockets)
struct CurlTests {
    private static let bodies: [Data?] = [
        nil, Data(), Data("plain".utf8), Data("it's \"quoted\" $HOME `id` \\ % @file".utf8),
        Data("@not-a-file".utf8), Data("two\nlines\r\nand a tab\t\n\n".utf8), Data("é 🎈".utf8),
    ]

    @Test(arguments: bodies)
    func sendsTheSameRequest(_ body: Data?) async throws {
        let network = MockNetwork()
        network.stub(.any, .text("ok"))
        let server = try network.serve()
        var request = URLRequest(
            url: URL(string: "\(server.url)/a%20b/[c]?q=it's&x=%22$HOME%22")!)
        request.httpMethod = body == nil ? "GET" : "PATCH"
        request.httpBody = body
        request.setValue("it's \"quoted\"; $HOME", forHTTPHeaderField: "X-Quotes")
        request.setValue("Bearer hunter2", forHTTPHeaderField: "Authorization")

        let output = try await shell(
            request.curlCommand(redacting: .none) + " --silent --noproxy '*'")

        #expect(output == "ok")
        let received = try #require(network.requests.first)
        #expect(received.method == request.httpMethod)
        #expect(received.request.url == request.url)
        #expect(received.body == body ?? Data())
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            #expect(received.request.value(forHTTPHeaderField: name) == value)
        }
        #expect(received.request.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    /// Returns the output of a shell script.
    private func shell(_ script: String) async throws -> String {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "APIKitLite-\(UUID().uuidString).sh")
        try Data(script.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await withCheckedThrowingContinuation { continuation in
            // Reading blocks its thread, so it gets a separate thread.
            Thread.detachNewThread {
                continuation.resume(with: Result { try Self.output(of: file).text })
            }
        }
    }

    #if canImport(Darwin)
    // Darwin's `popen` is unavailable in Swift.
    private static func output(of script: URL) throws -> Data {
        let shell = Process()
        let pipe = Pipe()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = [script.path(percentEncoded: false)]
        shell.standardOutput = pipe
        try shell.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        shell.waitUntilExit()
        return output
    }
    #else
    // Not by `Process`: where many files are open, as beside the tests of the server, it reads past
    // the end of the list of them (Foundation on Linux, 6.3, by the address sanitizer).
    private static func output(of script: URL) throws -> Data {
        guard let pipe = popen("sh '\(script.path)'", "r") else { throw POSIXError(.ENOENT) }
        defer { pclose(pipe) }
        var output = Data()
        var piece = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&piece, 1, piece.count, pipe), count > 0 {
            output.append(contentsOf: piece[..<count])
        }
        return output
    }
    #endif
}
#endif
