#if os(Linux)
@testable import APIKitLite
import APIKitLiteTesting
import TestSupport

/// A request that waits for its response takes hardly any CPU time. That is measured in a process
/// of its own, beside the same request over `URLSession` alone, which keeps a core busy.
@Suite(.limited, .usesSockets) struct ConnectionBusyLoopTests {
    @Test func aWaitingRequestRests() async {
        await #expect(processExitsWith: .success) {
            let network = MockNetwork(clock: ContinuousClock())
            network.stub(.get("/late"), .text("late").delayed(by: .milliseconds(500)), times: .any)
            network.stub(
                .get("/slow"), .chunks(["a", "b", "c"], every: .milliseconds(250)), times: .any)
            let url = try network.serve().url
            let late = URLRequest(url: url.appending(path: "late"))
            let slow = URLRequest(url: url.appending(path: "slow"))
            var seconds: [String: Double] = [:]
            // Each on a new connection.
            try await withFirstSession { shared in
                let own = URLSession(configuration: .withoutProxy)
                for (name, session) in [("shared", shared), ("own", own)] {
                    seconds["\(name), exchange"] = await cpuTime { await session.outcome(of: late) }
                    seconds["\(name), stream"] = await cpuTime {
                        await session.outcome(of: slow, asStream: true)
                    }
                }
            }
            let session = URLSession(configuration: .withoutProxy)
            let plain = await cpuTime { await session.plainOutcome(of: late) }

            // If Foundation itself takes none, there is nothing to compare with.
            #expect(seconds.allSatisfy { $0.value < max(plain / 2, 0.25) }, "\(seconds)")
        }
    }

    /// A session is watched until its last task has completed, even if the task is started late.
    @Test func knowsWhetherItHasTasks() async throws {
        let session = URLSession(configuration: .withoutProxy)
        let queue = try #require(session.transferQueue)
        let hasTasks = { queue.sync { session.hasTasks } }
        #expect(!hasTasks())

        let hasCompleted = Gate()
        let task = session.dataTask(with: .test("a")) { _, _, _ in hasCompleted.open() }
        #expect(hasTasks())
        task.cancel()
        await hasCompleted.wait()
        // Foundation forgets the task after it has called the handler.
        while hasTasks() { await Task.yield() }
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
}

/// The CPU time that this process takes for a response, in seconds.
private func cpuTime(of outcome: () async -> ExchangeOutcome) async -> Double {
    let start = clock()
    #expect(await [.body("late"), .body("abc")].contains(outcome()))
    return Double(clock() - start) / Double(CLOCKS_PER_SEC)
}
#endif
