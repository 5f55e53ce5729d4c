import TestSupport

@testable import APIKitLite
@testable import APIKitLiteTesting

/// A test that fails with one of the errors prints its description.
@Suite(.limited) struct ErrorTextTests {
    private static let file = URL(fileURLWithPath: "/a/b")
    /// One of each public type.
    private static let errors: [any LocalizedError] = [
        APIRequestError(stage: .parse, underlying: TransportError.bodyReadTwice),
        DownloadError.fileInUse(file), FileBodyError.missing(file),
        MockError("There is no handler."), RequestBuildingError("\"G T\" is not an HTTP method."),
        StreamError.compressed, TransportError.bodyReadTwice,
        UnacceptableStatusError(statusCode: 404),
        VerificationError(findings: ["A finding."], bodyError: nil),
    ]

    @Test(arguments: errors) func isASentence(_ error: any LocalizedError) {
        // Without `Any`, the compiler bridges the error to `NSError`, which has a description.
        let anything: Any = error
        let description = (anything as? any CustomStringConvertible)?.description
        for text in [description, error.errorDescription] {
            #expect(text?.contains(/\w \w.*\./) == true)
        }
    }
}
