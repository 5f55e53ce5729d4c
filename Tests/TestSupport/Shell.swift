#if os(macOS) || os(Linux)
package let hasCurl = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")
    .split(separator: ":")
    .contains { FileManager.default.isExecutableFile(atPath: "\($0)/curl") }

/// Returns the output of a shell script.
package func shell(_ script: String) async throws -> String {
    let file = FileManager.default.temporaryDirectory
        .appending(path: "APIKitLite-\(UUID().uuidString).sh")
    try Data("exec 2>/dev/null\n\(script)".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try await withCheckedThrowingContinuation { continuation in
        // Reading blocks its thread, so it gets a separate thread.
        Thread.detachNewThread {
            continuation.resume(with: Result { try output(of: file).text })
        }
    }
}

#if canImport(Darwin)
// Darwin's `popen` is unavailable in Swift.
private func output(of script: URL) throws -> Data {
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
private func output(of script: URL) throws -> Data {
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
#endif
