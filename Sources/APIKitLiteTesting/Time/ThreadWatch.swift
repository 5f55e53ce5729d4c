import Foundation

/// Tells whether a thread has got on since it was first looked at.
///
/// A busy machine may take the processor from a thread at any point, for many milliseconds. Only the
/// system knows.
struct ThreadWatch {
    /// The thread that asks, as the system names it; nil where the system does not tell.
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

    private struct Sample: Equatable {
        /// What the thread has had of a processor, in nanoseconds.
        let runTime: UInt64
        /// Whether it has something to do, with a processor or without.
        let isRunnable: Bool

        /// Nil where the thread has ended or the system does not tell.
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

    /// Whether it has run for 0.3 ms since the first look, or has had nothing to do since the last.
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
