import APIKitLite
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Uploads a large file over the loopback, each time in a process of its own, so that its peak
/// memory is that of one client.
func compareUploads(mebibytes: Int) async throws {
    let sink = try ChildProcess("sink")
    defer { sink.stop() }
    let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(getpid())")
    defer { try? FileManager.default.removeItem(at: file) }
    let path = file.path(percentEncoded: false)
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    for _ in 0..<mebibytes { try handle.write(contentsOf: Data(repeating: 65, count: 1 << 20)) }
    try handle.close()

    print("| \(mebibytes) MiB by | seconds | MB/s | peak memory in MB |\n|---|---|---|---|")
    let url = sink.line
    for _ in 0..<3 {
        for kind in ["ours", "ours-form", "fromFile", "stream"] {
            let child = try ChildProcess("upload", kind, url, path)
            let words = child.line.split(separator: " ")
            child.stop()
            guard words.count == 2, let time = Double(words[0]) else {
                print("| \(kind) | failed: \(child.line) |")
                continue
            }
            let speed = Int(Double(mebibytes) * 1.048576 / time)
            print("| \(kind) | \(time.rounded(to: 100)) | \(speed) | \(words[1]) |")
        }
        let curl = Process()
        curl.executableURL = URL(filePath: "/usr/bin/env")
        // Without `Expect`, curl does not wait a second for a permission to send the body.
        curl.arguments = ["curl", "-s", "--noproxy", "*", "-H", "Expect:", "-o", "/dev/null"]
        curl.arguments? += ["-T", path, url + "f"]
        let start = ContinuousClock.now
        try curl.run()
        curl.waitUntilExit()
        let time = start.duration(to: .now) / .seconds(1)
        print(
            "| curl -T | \(time.rounded(to: 100)) | \(Int(Double(mebibytes) * 1.048576 / time)) | |"
        )
    }
}

/// One upload of a child process. Prints the seconds, and the peak memory in MB.
func uploadOnce(_ kind: String, to url: URL, _ file: URL) async throws {
    setenv("no_proxy", "127.0.0.1", 1)
    var bare = URLRequest(url: url)
    bare.httpMethod = "PUT"
    bare.timeoutInterval = 600
    let start = ContinuousClock.now
    switch kind {
    case "ours": _ = try await URLSession.shared.exchange(bare.fileBody(file))
    case "ours-form":
        let form = try bare.multipartBody([.text("title", "x"), .file("f", at: file)])
        _ = try await URLSession.shared.exchange(form)
    case "stream":
        bare.httpBodyStream = InputStream(url: file)
        _ = try await bareLoad(.shared, bare)
    default:
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            let task = URLSession.shared.uploadTask(with: bare, fromFile: file) { _, _, error in
                if let error { done.resume(throwing: error) } else { done.resume() }
            }
            task.resume()
        }
    }
    print(start.duration(to: .now) / .seconds(1), peakMegabytes().rounded(to: 1))
}

/// Cancels uploads at random moments, and prints how many descriptors are left.
func cancelUploads(_ count: Int) async throws {
    let sink = try ChildProcess("sink")
    defer { sink.stop() }
    setenv("no_proxy", "127.0.0.1", 1)
    let file = FileManager.default.temporaryDirectory.appending(path: "cancel-\(getpid())")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(count: 16 << 20).write(to: file)
    let request = try URLRequest("PUT", sink.url).fileBody(file)
    func descriptors() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }
    _ = try await URLSession.shared.exchange(request)
    let before = descriptors()
    var uploaded = 0
    for _ in 0..<count / 4 {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let upload = Task { try await URLSession.shared.exchange(request) }
                    try? await Task.sleep(for: .microseconds(Int.random(in: 0...20_000)))
                    upload.cancel()
                    if case .success = await upload.result { return true }
                    return false
                }
            }
            for await isUploaded in group where isUploaded { uploaded += 1 }
        }
    }
    try await Task.sleep(for: .seconds(1))
    print(
        "\(count) uploads, \(uploaded) complete; descriptors before and after:",
        before, descriptors(), "memory \(residentMegabytes().rounded(to: 1)) MB")
}

/// Serves a sink, which reads every request body of known length, or in chunks, and responds with
/// 200: see ``serveConnections(_:)``.
func serveSink() throws {
    try serveConnections(drain)
}

/// Reads requests from a connection, and responds to each.
@Sendable private func drain(_ client: Int32) {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var bytes = Data()
    func receive() -> Bool {
        let count = recv(client, &buffer, buffer.count, 0)
        if count > 0 { bytes.append(contentsOf: buffer[..<count]) }
        return count > 0
    }
    while true {
        var end = bytes.range(of: Data("\r\n\r\n".utf8))
        while end == nil {
            guard receive() else { return }
            end = bytes.range(of: Data("\r\n\r\n".utf8))
        }
        let head = String(decoding: bytes[..<end!.lowerBound], as: UTF8.self).lowercased()
        bytes = Data(bytes[end!.upperBound...])
        let line = head.components(separatedBy: "\r\n").first { $0.hasPrefix("content-length:") }
        if let line, var left = Int(line.dropFirst(15).trimmingCharacters(in: .whitespaces)) {
            left -= bytes.count
            while left > 0 {
                let count = recv(client, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                left -= count
            }
        } else if head.contains("\r\ntransfer-encoding: chunked") {
            while !bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8) {
                bytes = bytes.suffix(5)
                guard receive() else { return }
            }
        }
        bytes = Data()
        guard (try? sendAll(client, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")) != nil
        else { return }
    }
}
