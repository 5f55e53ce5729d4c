#if os(Linux)
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The report that a hanging test process writes, in real time.
///
/// The process is this test program once more, with one test. That needs `/proc/self/exe`.
@Suite(.limited, .usesSockets) struct HangingProcessTests {
    private static let variable = "APIKITLITE_TEST_HANGS"

    /// Hangs, only in the process that the other test starts.
    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil))
    func hangs() async {
        let network = MockNetwork()
        let stub = network.stub(.get("/a"), .json("{}"), fileID: "Tests/Stub.swift", line: 3)
        await stub.waitForRequests(fileID: "Tests/Wait.swift", line: 7)
        try? network.verify()
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] == nil))
    func writesWhyItHangs() async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [
            "--testing-library", "swift-testing", "--filter", "HangingProcessTests.hangs",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging([Self.variable: "1"]) {
            $1
        }
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        let (output, continuation) = AsyncStream.makeStream(of: Data.self)
        errors.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { continuation.finish() } else { continuation.yield(data) }
        }
        try process.run()
        defer {
            errors.fileHandleForReading.readabilityHandler = nil
            process.terminate()
        }

        var text = ""
        for await data in output {
            text += String(decoding: data, as: UTF8.self)
            if text.hasSuffix("the network's.\n") { break }
        }

        #expect(
            text.contains(
                """
                APIKitLiteTesting: stub.waitForRequests() (Tests/Wait.swift:7) has waited for 5.0 seconds: \
                0 of 1 request came to the stub for method GET, path /a (Tests/Stub.swift:3).
                  The network received no request. Perhaps no load was started or awaited, or the \
                load uses another session than the network's.

                """))
    }
}
#endif
