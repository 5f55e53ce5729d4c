import APIKitLite
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What one batch of operations took, for each operation.
struct Cost {
    let wall: Double
    let cpu: Double
}

struct Side {
    let name: String
    let run: (_ operations: Int) async throws -> Void
}

/// Measures both sides in turns, so that a busy moment of the machine meets both.
func compare(
    _ title: String, limit: Double, by value: KeyPath<Cost, Double>, operations: Int, rounds: Int,
    _ ours: Side, _ theirs: Side
) async throws {
    for side in [ours, theirs] { try await side.run(operations / 4 + 1) }
    var ratios: [Double] = []
    var costs: [String: [Double]] = [:]
    for round in 0..<rounds {
        let order = round.isMultiple(of: 2) ? [ours, theirs] : [theirs, ours]
        var cost: [String: Double] = [:]
        for side in order {
            cost[side.name] = try await measure(side, operations)[keyPath: value]
        }
        for (name, value) in cost { costs[name, default: []].append(value) }
        ratios.append(cost[ours.name]! / cost[theirs.name]!)
    }
    let ratio = ratios.median
    print(
        "| \(title) | \(costs[ours.name]!.median.microseconds) |",
        "\(costs[theirs.name]!.median.microseconds) | \(ratio.rounded(to: 100)) | \(limit) |",
        ratio <= limit ? "" : "over")
}

func measure(_ side: Side, _ operations: Int) async throws -> Cost {
    let clock = ContinuousClock()
    let cpu = processorTime()
    let start = clock.now
    try await side.run(operations)
    let wall = start.duration(to: clock.now) / .seconds(1)
    return Cost(wall: wall / Double(operations), cpu: (processorTime() - cpu) / Double(operations))
}

/// User and system time of this process, in seconds.
func processorTime() -> Double {
    var usage = rusage()
    #if canImport(Glibc)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
    getrusage(RUSAGE_SELF, &usage)
    #endif
    return [usage.ru_utime, usage.ru_stime].reduce(0) {
        $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
    }
}

/// Resident memory in MB, or 0 where the system does not tell.
func residentMegabytes() -> Double {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
        return 0
    }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
    return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1e6
}

/// The largest resident memory of this process so far in MB, or 0 where the system does not tell.
///
/// `getrusage` would count that of the parent too: a child has it until it runs its own program.
func peakMegabytes() -> Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    let kibibytes = line.split(separator: " ").dropLast().last.flatMap { Double($0) } ?? 0
    return kibibytes * 1024 / 1e6
}

extension [Double] {
    var median: Double { sorted()[count / 2] }
}

extension Double {
    var microseconds: String { "\((self * 1e6).rounded(to: 10)) µs" }

    func rounded(to factor: Double) -> Double { (self * factor).rounded() / factor }
}

extension HTTPSession {
    /// The library's `data(for:)`, even on a `URLSession`.
    func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await data(for: request)
    }
}
