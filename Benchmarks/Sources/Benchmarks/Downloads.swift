import APIKitLite
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Downloads a large file over the loopback, each in a process of its own, so that its peak memory
/// is that of the client alone.
func compareDownloads(mebibytes: Int) async throws {
    let server = try ChildProcess("serve-file", "\(mebibytes)")
    defer { server.stop() }
    let folder = FileManager.default.temporaryDirectory.appending(path: "downloads-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "file")

    print("| \(mebibytes) MiB by | seconds | MB/s | peak memory in MB |\n|---|---|---|---|")
    let kinds = ["bare", "bare-file", "ours", "ours-unresumable"]
    var seconds: [String: [Double]] = [:]
    for _ in 0..<3 {
        for kind in kinds {
            let url = server.line + (kind == "ours-unresumable" ? "plain" : "file")
            let child = try ChildProcess("download", kind, url, file.path)
            let words = child.line.split(separator: " ")
            child.stop()
            guard words.count == 2, let time = Double(words[0]) else {
                print("| \(kind) | failed: \(child.line) |")
                continue
            }
            seconds[kind, default: []].append(time)
            let speed = Double(mebibytes) * 1.048576 / time
            print("| \(kind) | \(time.rounded(to: 100)) | \(Int(speed)) | \(words[1]) |")
            try? FileManager.default.removeItem(at: file)
        }
        for target in ["/dev/null", file.path] {
            let start = ContinuousClock.now
            let curl = Process()
            curl.executableURL = URL(filePath: "/usr/bin/env")
            curl.arguments = ["curl", "-s", "-o", target, server.line + "file"]
            try curl.run()
            curl.waitUntilExit()
            let time = start.duration(to: .now) / .seconds(1)
            let name = target == "/dev/null" ? "curl to /dev/null" : "curl to a file"
            print("| \(name) | \(time.rounded(to: 100)) | | |")
            try? FileManager.default.removeItem(at: file)
        }
    }
    guard let bare = seconds["bare-file"]?.median, let ours = seconds["ours"]?.median else {
        return
    }
    print(
        "speed against a bare data delegate that writes a file: \((bare / ours).rounded(to: 100))")
}

/// One download of a child process. Prints the seconds, and the peak memory in MB.
func downloadOnce(_ kind: String, _ url: URL, to file: URL) async throws {
    let start = ContinuousClock.now
    do {
        switch kind {
        case "bare": try await bareDownload(URLRequest(url: url), to: nil)
        case "bare-file": try await bareDownload(URLRequest(url: url), to: file)
        default: try await URLSession.shared.download(URLRequest(url: url), to: file)
        }
    } catch {
        return print("\(error)")
    }
    print(start.duration(to: .now) / .seconds(1), peakMegabytes().rounded(to: 1))
}

/// What an app would write: a data task with a delegate.
private func bareDownload(_ request: URLRequest, to file: URL?) async throws {
    final class Delegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
        // Safe: the delegate queue is serial.
        let handle: FileHandle?
        let continuation: CheckedContinuation<Void, any Error>

        init(_ handle: FileHandle?, _ continuation: CheckedContinuation<Void, any Error>) {
            (self.handle, self.continuation) = (handle, continuation)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
        ) {
            try? handle?.write(contentsOf: data)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
            try? handle?.synchronize()
            if let error { continuation.resume(throwing: error) } else { continuation.resume() }
        }
    }
    if let file { try Data().write(to: file) }
    let handle = try file.map { try FileHandle(forWritingTo: $0) }
    try await withCheckedThrowingContinuation { continuation in
        let session = URLSession(
            configuration: .ephemeral, delegate: Delegate(handle, continuation),
            delegateQueue: nil)
        session.dataTask(with: request).resume()
        session.finishTasksAndInvalidate()
    }
}

/// Kills a downloading process at random moments, and starts it again, until the file is whole.
///
/// The server serves two versions of the file in turns. After each kill, the file must be the old
/// one or the whole right one.
func killDownloads(_ count: Int) async throws {
    let server = try ChildProcess("serve-file", "16")
    defer { server.stop() }
    let folder = FileManager.default.temporaryDirectory.appending(path: "kills-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "file")
    let old = Data("old".utf8)
    try old.write(to: file)
    let versions = [1, 2].map { FileContent(version: UInt64($0)).bytes(0..<16 << 20) }
    var (whole, unchanged, killed, resumed) = (0, 0, 0, 0)
    var number = 0
    while killed < count {
        number += 1
        let record = folder.appending(path: "file.part.json")
        if FileManager.default.fileExists(atPath: record.path) { resumed += 1 }
        let child = Process.ofThisProgram(["download", "ours", server.line + "changing", file.path])
        child.standardOutput = FileHandle.nullDevice
        try child.run()
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...900)))
        if child.isRunning { killed += 1 }
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
        let content = try Data(contentsOf: file)
        if content == old {
            unchanged += 1
        } else if versions.contains(content) {
            whole += 1
            try old.write(to: file)
        } else {
            print("WRONG after kill \(number): \(content.count) bytes, in \(folder.path)")
            exit(1)
        }
    }
    print(
        "\(number) processes, \(killed) killed: \(whole) whole files, \(unchanged) unchanged,",
        "\(resumed) began with a record; left: \(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted())"
    )
    try FileManager.default.removeItem(at: folder)
}
