import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// What `print` shows of the mock's values: one line each, without a secret.
@Suite(.limited, .usesSockets) struct DescriptionTests {
    @Test(
        arguments: [
            (.json("{}"), "200 (OK), 2 bytes, application/json"),
            (.status(204), "204 (No Content)"),
            (.text("abc").header("X-Token", "hunter2"), "200 (OK), 3 bytes, text/plain"),
            (.hanging, "no answer"), (.error(.timedOut), "URLError.timedOut"),
            (.text("a").held, "200 (OK), 1 byte, text/plain, held"),
            (
                .text("a").delayed(by: .seconds(2)),
                "200 (OK), 1 byte, text/plain, delayed by 2.0 seconds"
            ),
            (
                .text("abc").chunked(by: 1, every: .seconds(1)),
                "200 (OK), 3 bytes, text/plain, 3 pieces, one every 1.0 seconds"
            ),
            (
                .text("abc").failing(afterBytes: 1),
                "200 (OK), 3 bytes, text/plain, failing after 1 byte"
            ),
            (
                .chunks(["a", "b"], every: .seconds(1)),
                "200 (OK), 2 bytes, text/plain, 2 pieces, one every 1.0 seconds"
            ),
            (.events(["a"]), "200 (OK), 9 bytes, text/event-stream"),
            (.stream(status: 201), "201 (Created), text/event-stream, stream"),
            (
                .stream(contentType: "text/plain") { _ in }.held,
                "200 (OK), text/plain, stream, held"
            ),
            (.status(0), "unusable response: 0 is not an HTTP status: use 100...599."),
        ] as [(MockResponse, String)])
    func describesAResponse(_ response: MockResponse, _ text: String) {
        #expect("\(response)" == text)
    }
}
