import APIKitLite
import APIKitLiteTesting
import Foundation

/// Loads over real connections, to a server in a process of its own, each cancelled within 0.4 ms:
/// through each kind of session and each policy that cancels. What matters is that this ends.
///
/// - Parameters:
///   - count: The loads of all kinds together.
///   - url: A server that responds at once; nil starts one.
func cancelRealLoads(_ count: Int, at url: URL?) async throws {
    let server = try url == nil ? ChildProcess("serve") : nil
    let request = URLRequest(url: url ?? server!.url)
    defer { server?.stop() }
    let kinds: [(String, URLSession)] = [
        ("default", URLSession(configuration: .default)),
        ("ephemeral", URLSession(configuration: .ephemeral)), ("shared", .shared),
    ]
    let paths: [(String, @Sendable (URLSession) -> any HTTPSession)] = [
        ("exchange", { $0 }),
        ("timingOut", { $0.timingOut(after: .seconds(30)) }),
        // A timeout of its own for each load: see below.
        ("timeouts", { $0 }),
        ("coalescing", { $0.coalescing() }),
    ]
    let part = count / kinds.count / paths.count
    for (kind, session) in kinds {
        for (path, wrap) in paths {
            let start = ContinuousClock().now
            let loaded = await cancelled(
                part, wrap(session), request, byTimeout: path == "timeouts")
            let seconds = start.duration(to: ContinuousClock().now) / .seconds(1)
            print(
                "\(part) through .\(kind), \(path): \(loaded) loaded,",
                "\(part - loaded) cancelled or timed out, \(seconds.rounded(to: 10)) s,",
                "memory \(residentMegabytes().rounded(to: 1)) MB")
        }
        // What was cancelled may still be on its way out.
        try await Task.sleep(for: .seconds(1))
        let tasks = await withCheckedContinuation { continuation in
            session.getAllTasks { continuation.resume(returning: $0.count) }
        }
        print("\(tasks) tasks left, memory \(residentMegabytes().rounded(to: 1)) MB")
    }
}

/// How many of the loads got a response all the same.
private func cancelled(
    _ count: Int, _ session: any HTTPSession, _ request: URLRequest, byTimeout: Bool
) async -> Int {
    await withTaskGroup(of: Int.self) { group in
        let width = 32
        for worker in 0..<width {
            group.addTask {
                var loaded = 0
                for _ in 0..<(count + width - 1 - worker) / width {
                    let patience = Duration.microseconds(Int.random(in: 0...400))
                    let task = Task {
                        byTimeout
                            ? try await session.timingOut(after: patience).exchange(request)
                            : try await session.exchange(request)
                    }
                    if !byTimeout {
                        try? await Task.sleep(for: patience)
                        task.cancel()
                    }
                    if case .success = await task.result { loaded += 1 }
                }
                return loaded
            }
        }
        return await group.reduce(0, +)
    }
}

/// Responds to every request, prints its URL, and ends with its standard input: with its parent.
func serveUntilInputEnds() throws {
    let network = MockNetwork()
    network.stub(.any, .text("hello"), times: .any)
    let server = try network.serve()
    print(server.url.absoluteString)
    fflush(nil)
    _ = FileHandle.standardInput.readDataToEndOfFile()
    server.stop()
}
