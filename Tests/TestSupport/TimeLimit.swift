@testable import APIKitLiteTesting

extension Trait where Self == TimeLimit {
    /// Ends a test that hangs, within a minute, or that runs for twenty.
    package static var limited: Self { TimeLimit() }
}

/// Fails a test while which the process does nothing for 40 seconds.
///
/// Swift Testing's own limit counts from the start of a test, and all tests start at once. On a
/// machine with much other work, a good one may wait minutes for a thread. But a process with a
/// test that can run gets some CPU time, has a thread that waits for a CPU, or has a child process.
/// Reports about what waits are shown with a test that hangs, and not otherwise.
package struct TimeLimit: SuiteTrait, TestTrait, TestScoping {
    private struct Watch {
        var seconds = 0
        /// How often the process did nothing for 40 seconds.
        var hangs = 0
    }

    private static let watch: Monitor<Watch> = {
        let watch = Monitor(Watch())
        _ = StandardErrorRecorder.waits
        Thread.detachNewThread {
            var (last, idleSeconds) = (clock(), 0)
            while true {
                Thread.sleep(forTimeInterval: 1)
                let now = clock()
                let isIdle = now - last < CLOCKS_PER_SEC / 100 && !hasChild && !hasReadyThread
                last = now
                idleSeconds = isIdle ? idleSeconds + 1 : 0
                watch.update { watch in
                    watch.seconds += 1
                    if idleSeconds == 40 { watch.hangs += 1 }
                }
            }
        }
        return watch
    }()

    /// Whether a child process, such as an exit test, runs. The process then waits for it.
    private static var hasChild: Bool {
        var info = siginfo_t()
        return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0
    }

    /// Whether another thread runs, or waits for a CPU or a disk. Only Linux tells it.
    private static var hasReadyThread: Bool {
        let threads =
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let ready = threads.count { thread in
            let text = try? String(
                contentsOfFile: "/proc/self/task/\(thread)/stat", encoding: .utf8)
            // The state follows the name of the program, which is in parentheses.
            return text?.contains(#/\) [RD] /#) == true
        }
        return ready > 1  // This thread runs, too.
    }

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let start = Self.watch.value
        try await withoutActuallyEscaping(function) { function in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await Self.watch.wait {
                        $0.hangs > start.hangs || $0.seconds >= start.seconds + 1_200
                    }
                    if !Task.isCancelled {
                        let reports = StandardErrorRecorder.waits.texts.suffix(5)
                        Issue.record("The test hangs.\n\(reports.joined())")
                    }
                }
                group.addTask { try await function() }
                try await group.next()
                group.cancelAll()
            }
        }
    }
}
