import Foundation

/// Checks whether a thread has made progress since it was first looked at.
///
/// A busy system may suspend a thread at any point, for many milliseconds, and only the system
/// knows when.
struct ThreadWatch {
    /// The name that the system gives the current thread; nil where the system has none.
    static var currentThread: String? {
        #if os(Linux)
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        #else
        nil
        #endif
    }

    #if os(Linux)
    private let thread: String
    private let first: Sample
    private var last: Sample

    /// The state of a thread at one moment.
    private struct Sample: Equatable {
        /// The processor time of the thread, in nanoseconds.
        let runTime: UInt64
        /// Whether the thread has work to do, with or without a processor.
        let isRunnable: Bool

        /// Reads the state; nil if the thread has ended or the system gives no information.
        init?(of thread: String) {
            // The formats are those of proc(5).
            let folder = "/proc/\(thread)/"
            guard let times = try? String(contentsOfFile: folder + "schedstat", encoding: .utf8),
                let runTime = times.split(separator: " ").first.flatMap({ UInt64($0) }),
                let fields = try? String(contentsOfFile: folder + "stat", encoding: .utf8),
                let name = fields.lastIndex(of: ")")
            else { return nil }
            self.runTime = runTime
            isRunnable = fields[name...].dropFirst(2).first == "R"
        }
    }
    #endif

    /// Takes the first look at a thread; nil if it has ended or the system gives no information.
    init?(_ thread: String) {
        #if os(Linux)
        guard let sample = Sample(of: thread) else { return nil }
        self.thread = thread
        first = sample
        last = sample
        #else
        return nil
        #endif
    }

    /// Whether the thread has run for 0.3 ms since the first look, has had no work since the last
    /// one, or has ended.
    mutating func hasGotOn() -> Bool {
        #if os(Linux)
        guard let sample = Sample(of: thread) else { return true }
        defer { last = sample }
        return sample.runTime - first.runTime > 300_000 || !sample.isRunnable && sample == last
        #else
        true
        #endif
    }
}
