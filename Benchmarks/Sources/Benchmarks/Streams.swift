import APIKitLite
import APIKitLiteTesting
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The time from a piece to its element, the speed and the memory of a long body against a bare
/// delegate, the limit of what waits, and streams that are cancelled at random.
func costOfStreams(rounds: Int, part: String?) async throws {
    let parts: [(String, () async throws -> Void)] = [
        ("piece", { try await timeToElement() }),
        ("open", { try await timeToFirstElement(rounds: rounds) }),
        ("speed", { try await speedOfLongBodies(rounds: rounds) }),
        ("slow", { try await limitOfSlowReaders() }),
        ("busy", { try await countingReaders(20) }),
        ("cancel", { try await cancelStreams(5_000) }),
    ]
    for (name, measure) in parts where part == nil || part == name { try await measure() }
}

private struct NumbersRequest: StreamedAPIRequest {
    var url = URL(string: "https://api.example.com/numbers")!

    func makeRequest(from: Void) throws -> URLRequest { URLRequest(url: url) }

    func makeParser(for response: HTTPURLResponse) -> ServerSentEvents { ServerSentEvents() }
}

private let event = Data("data: a\n\n".utf8)
private let clock = ContinuousClock()

/// The time from the moment at which a piece is sent to the moment at which its element is there.
private func timeToElement() async throws {
    let sent = Moments()
    let network = MockNetwork()
    network.stub(
        .any,
        .stream(contentType: "text/event-stream") { writer in
            for _ in 0..<20_000 {
                sent.append()
                try await writer.send(event)
            }
        })
    var times: [Double] = []
    for try await _ in network.stream(NumbersRequest()) {
        times.append(sent.last.duration(to: clock.now) / .seconds(1))
    }
    print("a piece to its element: \(times.median.microseconds), limit 15 µs")
}

/// The moment at which the last piece was sent.
private final class Moments: @unchecked Sendable {  // The next piece waits for the last one.
    private(set) var last = clock.now

    func append() { last = clock.now }
}

/// The time from a request to its only element and its end, over the loopback, against a bare
/// delegate. Both use the same connection again.
private func timeToFirstElement(rounds: Int) async throws {
    let server = try ChildProcess("serve-bytes")
    defer { server.stop() }
    let session = URLSession(configuration: .ephemeral)
    let request = NumbersRequest(url: server.url.appending(path: "\(9)"))
    let bare = DelegateReader()
    print("| what | ours | theirs | ratio | limit | |\n|---|---|---|---|---|---|")
    try await compare(
        "an element over the loopback", limit: 1.2, by: \.wall, operations: 500, rounds: rounds,
        Side(name: "stream") { count in
            for _ in 0..<count {
                for try await _ in session.stream(request) {}
            }
        },
        Side(name: "delegate") { count in
            for _ in 0..<count { _ = try await bare.read(URLRequest(url: request.url)) }
        })
}

private let longBody = 512 * 1_048_576

/// The speed and the memory of a reader that only counts, against a bare delegate, each time in a
/// process of its own.
private func speedOfLongBodies(rounds: Int) async throws {
    let server = try ChildProcess("serve-bytes")
    defer { server.stop() }
    let url = server.line + "\(longBody)"
    var seconds: [String: [Double]] = [:]
    print("| 512 MiB by | seconds | peak memory in MB |\n|---|---|---|")
    for _ in 0..<rounds {
        for kind in ["stream", "delegate"] {
            let child = try ChildProcess("read-bytes", kind, url)
            let words = child.line.split(separator: " ")
            child.stop()
            guard words.count == 2, let time = Double(words[0]) else {
                print("| \(kind) | failed: \(child.line) | |")
                continue
            }
            seconds[kind, default: []].append(time)
            print("| \(kind) | \(time.rounded(to: 100)) | \(words[1]) |")
        }
    }
    guard let ours = seconds["stream"]?.median, let theirs = seconds["delegate"]?.median else {
        return
    }
    print("512 MiB: \((theirs / ours).rounded(to: 100)) of a delegate's speed, limit 0.9")
}

/// Reads a long body in a child process. Prints the seconds, and the peak memory in MB.
func readBytesOnce(_ kind: String, _ url: URL) async throws {
    let request = URLRequest(url: url)
    let start = clock.now
    let bytes: Int
    if kind == "stream" {
        bytes = try await count(URLSession(configuration: .ephemeral).stream(request).0)
    } else {
        bytes = try await DelegateReader().read(request)
    }
    precondition(bytes == longBody)
    print(start.duration(to: clock.now) / .seconds(1), peakMegabytes().rounded(to: 1))
}

/// A reader that sleeps must end in a `BodyLimitError`.
private func limitOfSlowReaders() async throws {
    let server = try ChildProcess("serve-bytes")
    defer { server.stop() }
    let request = URLRequest(url: server.url.appending(path: "\(256 * 1_048_576)"))
    let (body, _) = try await URLSession(configuration: .ephemeral).stream(request)
    try await Task.sleep(for: .seconds(3))
    var read = 0
    do {
        for try await piece in body { read += piece.count }
        print("a reader that sleeps: no error, \(read) bytes")
    } catch {
        print(
            "a reader that sleeps: \(error.localizedDescription) \(read) bytes were read,",
            "peak \(peakMegabytes().rounded(to: 1)) MB")
    }
}

/// Readers that only count must never meet the limit, also beside two busy threads.
private func countingReaders(_ runs: Int) async throws {
    let server = try ChildProcess("serve-bytes")
    defer { server.stop() }
    let request = URLRequest(url: server.url.appending(path: "\(256 * 1_048_576)"))
    let session = URLSession(configuration: .ephemeral)
    for isBusy in [false, true] {
        let stop = Flag()
        if isBusy {
            for _ in 1...2 {
                Thread {
                    while !stop.isSet {}
                }.start()
            }
        }
        var failures = 0
        for _ in 0..<runs {
            do { _ = try await count(session.stream(request).0) } catch { failures += 1 }
        }
        stop.set()
        print(
            "\(runs) readers that count\(isBusy ? ", beside two busy loops" : ""):",
            "\(failures) failed, peak \(peakMegabytes().rounded(to: 1)) MB")
    }
}

private final class Flag: @unchecked Sendable {  // The lock guards the value.
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}

/// Streams over each transport, each cancelled at a random moment.
private func cancelStreams(_ count: Int) async throws {
    let network = MockNetwork()
    network.stub(
        .get("/numbers"),
        .chunks(["data: a\n\n", "data: b\n\n"], contentType: "text/event-stream"),
        times: .any)
    let server = try network.serve()
    defer { server.stop() }
    let sessions: [(String, any HTTPSession, NumbersRequest)] = [
        ("a MockNetwork", network, NumbersRequest()),
        ("URLProtocol", network.urlSession, NumbersRequest()),
        (
            "loopback", URLSession(configuration: .ephemeral),
            NumbersRequest(url: server.url.appending(path: "numbers"))
        ),
    ]
    for (name, session, request) in sessions {
        let start = clock.now
        let complete = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<16 {
                group.addTask {
                    var complete = 0
                    for _ in 0..<(count + 15 - worker) / 16 {
                        let task = Task {
                            for try await _ in session.stream(request) {}
                        }
                        try? await Task.sleep(for: .microseconds(Int.random(in: 0...1_000)))
                        task.cancel()
                        if case .success = await task.result { complete += 1 }
                    }
                    return complete
                }
            }
            return await group.reduce(0, +)
        }
        print(
            "\(count) streams over \(name): \(complete) complete, the others cancelled,",
            "\((start.duration(to: clock.now) / .seconds(1)).rounded(to: 10)) s,",
            "memory \(residentMegabytes().rounded(to: 1)) MB")
    }
}

private func count(_ body: HTTPBody) async throws -> Int {
    var count = 0
    for try await piece in body { count += piece.count }
    return count
}

/// A client that counts the bytes of a body in the delegate of a session.
private final class DelegateReader: NSObject, URLSessionDataDelegate,
    @unchecked Sendable  // The delegate queue is serial, and one request is under way at a time.
{
    private var count = 0
    private var continuation: CheckedContinuation<Int, any Error>?
    private lazy var session = URLSession(
        configuration: .ephemeral, delegate: self, delegateQueue: nil)

    func read(_ request: URLRequest) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            count = 0
            self.continuation = continuation
            session.dataTask(with: request).resume()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        count += data.count
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        if let error {
            continuation?.resume(throwing: error)
        } else {
            continuation?.resume(returning: count)
        }
    }
}
