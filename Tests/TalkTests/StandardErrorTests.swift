import APIKitLite
import APIKitLiteTesting
import TestSupport
import XCTest

/// The errors of the static handler, which many apps replace by errors of their own, are also
/// written to standard error.
final class StandardErrorTests: HandlerTestCase {
    override func setUp() {
        super.setUp()
        errors.isPaused = true
    }

    override func tearDown() {
        errors.isPaused = false
        super.tearDown()
    }

    func testARequestWithoutAHandlerIsWrittenOnce() async throws {
        let session = makeSession()

        let text = try await standardError { _ = await outcome(.test("a"), over: session) }

        XCTAssertEqual(
            text,
            """
            APIKitLiteTesting: MockURLProtocol received GET https://api.example.com/a, but no \
            handler is set. Set MockURLProtocol.requestHandler before the request is made.

            """)
        MockURLProtocol.requestHandler = { _ in throw TestError() }
        let other = try await standardError { _ = await outcome(.test("a"), over: session) }
        XCTAssertEqual(other, "", "An error of the handler is not written.")
    }

    func testARequestWhoseHandlerWasClearedIsWrittenOnce() async throws {
        let session = makeSession()

        let text = try await standardError {
            let (blocked, release) = await startBlockedLoad(over: session)
            async let waiting = outcome(.test("waiting"), over: session)
            await waitUntil { MockURLProtocol.requests.count == 2 }
            MockURLProtocol.requestHandler = nil
            _ = await waiting
            release.signal()
            _ = await blocked.value
        }

        XCTAssertEqual(
            text,
            """
            APIKitLiteTesting: GET https://api.example.com/waiting was refused: its \
            MockURLProtocol.requestHandler was set to nil before it was called. Wait for every \
            request before a test ends, or give each test a MockNetwork of its own.

            """)
    }

    /// Returns what is written to standard error while a function runs. No other test runs then.
    private func standardError(during body: () async -> Void) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        let original = dup(2)
        dup2(handle.fileDescriptor, 2)
        await body()
        dup2(original, 2)
        close(original)
        return try String(contentsOf: file, encoding: .utf8)
    }
}
