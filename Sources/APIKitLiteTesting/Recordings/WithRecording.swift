import APIKitLite
import Foundation

/// Runs a body of code with a network that replays a recording, and then verifies the network.
///
/// ```swift
/// @Test func loadsAUser() async throws {
///     try await withMockNetwork(replaying: "users") { network in
///         let loader = APIRequestLoader(
///             apiRequest: UserRequest(), urlSession: network.urlSession)
///         let user = try await loader.load(42)
///         #expect(user.name == "Emma")
///     }
/// }
/// ```
///
/// The recording is an ``HTTPArchive`` in the file `Recordings/users.har`, which is beside the
/// test's file or in a resource bundle. The network responds as
/// ``MockNetwork/stub(_:then:times:redacting:fileID:line:)`` describes.
///
/// **To record**, run the test with the environment variable `APIKITLITE_RECORD` set to the names
/// of recordings, separated by commas, or to `all`. While recording, each request that `matcher`
/// matches goes to `session`. The whole file is written after the body returns without an error and
/// the verification succeeds. A failed `#expect` does not count as an error. Only the environment
/// variable can start a recording, so no recording starts by accident. If the variable names a
/// recording that has no file beside this test, such as `true`, a replay reports this on standard
/// error, once for each folder.
///
/// - Parameters:
///   - name: The name of the recording.
///   - session: The session that sends the requests while recording.
///   - matcher: The requests to record. While recording, any other request fails.
///   - afterLast: What a request receives after its last recorded response: by default, an error.
///   - times: How often each recorded request may occur. By default, each exchange must be used.
///   - clock: The clock of a replay, as in ``MockNetwork/init(clock:)``. Recording always takes
///     real time.
///   - redaction: The secrets to omit from the file: see ``HTTPArchive/write(to:redacting:)``. A
///     replay ignores the secrets' values, so include the names of values that differ in each run.
///   - filePath: The test's file, which is beside the folder `Recordings`.
///   - fileID: The file to name in error messages.
///   - line: The line to name in error messages.
///   - function: The test to name in error messages.
///   - body: The test's code, which receives the network.
/// - Returns: The value that the body returns.
/// - Throws: Any error thrown by the body; ``VerificationError`` if the verification fails;
///   ``HTTPArchiveError`` if the recording cannot be read or written.
@discardableResult
public nonisolated(nonsending) func withMockNetwork<R>(
    replaying name: String, over session: any HTTPSession = URLSession.shared,
    only matcher: RequestMatcher = .any, then afterLast: Stub.AfterLast = .fail,
    times: Stub.Times = .atLeast(1), clock: (any Clock<Duration>)? = nil,
    redacting redaction: Redaction = .standard, filePath: StaticString = #filePath,
    fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
    _ body: nonisolated(nonsending) (MockNetwork) async throws -> R
) async throws -> R {
    let file = RecordingFile(name: name, besideFile: "\(filePath)", function: "\(function)")
    let sourceLocation = "\(fileID):\(line)"
    if file.isRequested(by: ProcessInfo.processInfo.environment) {
        return try await file.record(
            over: session, only: matcher, redacting: redaction, at: sourceLocation, body)
    }
    let archive = try file.read(for: sourceLocation)
    let network = MockNetwork(NetworkCore(clock: clock, sourceLocation: sourceLocation))
    _ = network.stub(
        archive, as: file.recording, then: afterLast, times: times, redacting: redaction,
        sourceLocation: sourceLocation)
    return try await verifying(network, body)
}

/// The file of a recording.
struct RecordingFile: Sendable {
    private let name: String
    private let folder: URL
    private let command: String

    init(name: String, besideFile path: String, function: String) {
        self.name = name
        folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            .appendingPathComponent("Recordings")
        let test = function.prefix { $0 != "(" }
        command = "APIKITLITE_RECORD=\(name) swift test --filter \(test)"
    }

    /// The recording, for error messages.
    fileprivate var recording: Recording {
        Recording(
            noun: "the recording \"\(name)\"", command: command,
            repeating: "withMockNetwork(replaying: \"\(name)\", then: .repeatLast)")
    }

    private var url: URL { folder.appendingPathComponent("\(name).har") }

    /// The folders and values of the environment variable about which something was reported.
    private static let reported = Locked<Set<[String]>>([])

    /// Returns whether the environment variables request this recording. If they name a recording
    /// without a file instead, reports this to standard error, once for each folder.
    func isRequested(by environment: [String: String]) -> Bool {
        let value = environment["APIKITLITE_RECORD"] ?? ""
        let names = value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
        if names.contains(name) || names.contains("all") { return true }
        let unknown = names.first { name in
            // Some file systems ignore the case of a name, so compare the names of all files.
            let files = FileManager.default.subpaths(atPath: folder.path) ?? []
            return !files.contains("\(name).har")
        }
        if let unknown, Self.reported.withLock({ $0.insert([folder.path, value]).inserted }) {
            writeToStandardError(
                """
                Not recorded: "\(name)". APIKITLITE_RECORD names "\(unknown)", but \(folder.path) \
                has no "\(unknown).har" yet. The value must be names of recordings, separated by \
                commas, or "all". If that recording is in another folder, ignore this message.

                """)
        }
        return false
    }

    /// Reads the recording.
    ///
    /// - Throws: ``HTTPArchiveError`` if the recording cannot be read. If no recording exists, the
    ///   error lists the places searched.
    fileprivate func read(for sourceLocation: String) throws -> HTTPArchive {
        let path = "Recordings/\(name).har"
        let places =
            [(url, url.path)]
            + Self.bundles.map { bundle in
                (
                    (bundle.resourceURL ?? bundle.bundleURL).appendingPathComponent(path),
                    "\(path) in the bundle \(bundle.bundleURL.lastPathComponent)"
                )
            }
        let found = places.first { FileManager.default.fileExists(atPath: $0.0.path) }
        if let found { return try HTTPArchive(contentsOf: found.0) }
        throw HTTPArchiveError(
            """
            There is no recording "\(name)" (\(sourceLocation)). Looked for:
            \(places.map { "  \($0.1)" }.joined(separator: "\n"))
            Record it from the real server: \(command)
            (in Xcode: the environment variable APIKITLITE_RECORD of the test plan; xcodebuild: \
            TEST_RUNNER_APIKITLITE_RECORD)
            """)
    }

    /// The bundles in which the package manager or Xcode may have put the tests' resources.
    private static var bundles: [Bundle] {
        let beside = try? FileManager.default.contentsOfDirectory(
            at: Bundle.main.bundleURL, includingPropertiesForKeys: nil)
        let resources = (beside ?? []).filter {
            ["resources", "bundle"].contains($0.pathExtension)
        }
        return resources.compactMap { Bundle(url: $0) }
            + Bundle.allBundles.filter { $0.bundleURL.pathExtension == "xctest" }
    }

    /// The files that this process records or has recorded.
    private static let claimed = Locked<Set<String>>([])

    /// Runs a body of code with a network that passes requests on, and then writes the exchanges to
    /// the file. Only one test of a run may record the file.
    nonisolated(nonsending) func record<R>(
        over session: any HTTPSession, only matcher: RequestMatcher = .any,
        redacting redaction: Redaction = .standard, at sourceLocation: String,
        _ body: nonisolated(nonsending) (MockNetwork) async throws -> R
    ) async throws -> R {
        guard Self.claimed.withLock({ $0.insert(url.path).inserted }) else {
            throw HTTPArchiveError(
                """
                Another test of this run records "\(name)" (\(url.path)). A recording belongs to one \
                test: record it with --filter, or give each test, and each case of a test, another name.
                """)
        }
        let network = MockNetwork(
            NetworkCore(
                clock: ContinuousClock(), sourceLocation: sourceLocation, keeping: .ofRecording))
        network.core.hide(redaction)
        network.stub(matcher, .passthrough(to: session), times: .any)
        let result = try await verifying(network, body)
        let archive = HTTPArchive(network.requests)
        // If the folder cannot be created, `write(to:redacting:)` throws an error.
        try? FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try archive.write(to: url, redacting: redaction)
        let count = "\(archive.count) \(archive.count == 1 ? "exchange" : "exchanges")"
        writeToStandardError("Recorded \(count): \(url.path)\n")
        return result
    }
}
