#if os(Linux)
@testable import APIKitLite
import APIKitLiteTesting
import FoundationNetworking
import TestSupport

/// A request that waits for its answer takes hardly any CPU time. That is measured in a process of
/// its own, beside the same request over `URLSession` alone, which keeps a core busy.
@Suite(.limited, .usesSockets) struct ConnectionBusyLoopTests {
    private static let variable = "APIKITLITE_TEST_WAITS"

    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] == nil))
    func aWaitingRequestRests() async throws {
        let folder = try TemporaryFolder()
        let report = folder.url.appending(path: "seconds.json")
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [
            "--testing-library", "swift-testing", "--filter", "ConnectionBusyLoopTests.waits",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(
            [Self.variable: report.path()]
        ) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }

        let seconds = try JSONDecoder().decode(
            [String: Double].self, from: Data(contentsOf: report))
        let plain = try #require(seconds["plain"])
        for name in ["exchange", "stream"] {
            let seconds = try #require(seconds[name])
            // If Foundation itself takes none, there is nothing to compare with.
            #expect(seconds < max(plain / 4, 0.2), "\(name)")
        }
    }

    /// Writes how many seconds of CPU time this process takes while it waits for three answers, one
    /// after the other. Only in the process that the test above starts.
    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil))
    func waits() async throws {
        let network = MockNetwork(clock: ContinuousClock())
        network.stub(.get("/late"), .text("late").delayed(by: .seconds(1)))
        network.stub(.get("/slow"), .chunks(["a", "b", "c"], every: .milliseconds(500)))
        let url = try network.serve().url
        let late = URLRequest(url: url.appending(path: "late"))
        let slow = URLRequest(url: url.appending(path: "slow"))
        var seconds: [String: Double] = [:]

        // Each on a new connection.
        seconds["plain"] = try await cpuTime { try await plainAnswer(to: late) }
        seconds["exchange"] = try await cpuTime {
            let (data, _) = try await session().exchange(late)
            return data
        }
        seconds["stream"] = try await cpuTime {
            let (body, _) = try await session().stream(slow)
            return try await body.reduce(Data(), +)
        }

        let file = try #require(ProcessInfo.processInfo.environment[Self.variable])
        try JSONEncoder().encode(seconds).write(to: URL(filePath: file))
    }

    /// With 800 pending transfers, a look takes 20 ms.
    @Test(arguments: [(1, 0), (1, 1_000), (800, 0), (800, 80), (800, 10_000)])
    func looksSoonButNotTooOften(_ transferCount: Int, _ startsPerSecond: Int) {
        let begin = DispatchTime(uptimeNanoseconds: 1_000_000_000_000)
        var schedule = LookSchedule(begin)
        var (looks, longestWait) = (0, 0)
        var unseenSince: Int? = 0
        let end = 60_000_000  // microseconds
        let interval = startsPerSecond == 0 ? .max : 1_000_000 / startsPerSecond
        var nextStart = interval
        while true {
            let nextLook = Int((schedule.next.uptimeNanoseconds - begin.uptimeNanoseconds) / 1_000)
            let now = min(nextLook, nextStart)
            guard now < end else { break }
            if nextStart < nextLook {
                _ = schedule.didStart(begin + .microseconds(now))
                unseenSince = unseenSince ?? now
                nextStart += interval
            } else {
                looks += 1
                longestWait = max(longestWait, now - (unseenSince ?? now))
                unseenSince = nil
                schedule.didLook(begin + .microseconds(now), at: transferCount)
            }
        }

        #expect(looks * transferCount * 25 <= end / 20)
        // A new transfer may keep a core busy until it is seen.
        #expect(longestWait <= max(50_000, 500 * transferCount))
        #expect(looks > 10)
    }

    private func session() -> URLSession { URLSession(configuration: .withoutProxy) }

    private func plainAnswer(to request: URLRequest) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            let task = session().dataTask(with: request) { data, _, error in
                continuation.resume(
                    with: data.map { .success($0) } ?? .failure(error ?? TestError()))
            }
            task.resume()
        }
    }

    private func cpuTime(of body: () async throws -> Data) async throws -> Double {
        let start = clock()
        #expect(try await ["late", "abc"].contains(String(decoding: body(), as: UTF8.self)))
        return Double(clock() - start) / Double(CLOCKS_PER_SEC)
    }
}
#endif
