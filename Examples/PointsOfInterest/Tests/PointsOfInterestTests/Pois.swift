import Foundation
import Testing

/// The program `pois`, run as a process of its own.
struct Pois {
    let exitCode: Int32
    let output: String
    let errors: String

    /// Runs the program to its end, without blocking a thread.
    ///
    /// - Parameters:
    ///   - environment: Added to this process's own.
    ///   - device: The path of the file that is standard output; nil to read the output.
    ///   - interrupt: Suspends until the program is to be ended as with control-C.
    init(
        _ arguments: String..., environment: [String: String] = [:],
        writingTo device: String? = nil,
        interruptedAfter interrupt: (@Sendable () async -> Void)? = nil
    ) async throws {
        let folder = TemporaryFolder()
        // Files, since a full pipe suspends the program.
        let output = folder.file("output")
        let errors = folder.file("errors")
        for file in [output, errors] { try Data().write(to: file) }

        let process = Process()
        process.executableURL = try Self.executable()
        // A busy machine may need more than the seconds that one attempt has by default.
        process.arguments = arguments + ["--timeout", "3600"]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(
            forWritingTo: device.map { URL(fileURLWithPath: $0) } ?? output)
        process.standardError = try FileHandle(forWritingTo: errors)
        let interruption = interrupt.map { interrupt in
            Task {
                await interrupt()
                process.interrupt()
            }
        }
        defer { interruption?.cancel() }
        exitCode = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        self.output = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        self.errors = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
    }

    /// The program, which `swift build` puts next to the test bundle.
    private static func executable() throws -> URL {
        let bundles = [Bundle.main] + Bundle.allBundles
        let places = bundles.map(\.bundleURL).map { url in
            let directory = url.pathExtension == "xctest" ? url.deletingLastPathComponent() : url
            return directory.appendingPathComponent("pois")
        }
        return try #require(
            places.first { FileManager.default.isExecutableFile(atPath: $0.path) },
            "pois was not built, or is in none of these places: \(places.map(\.path))")
    }
}
