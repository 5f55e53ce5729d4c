import TestSupport

/// The manifest that Apple asks for, because the library calls `stat`, `fstat` and `lstat`.
@Suite(.limited) struct PrivacyManifestTests {
    @Test func declaresTheStatusOfFilesAndNothingElse() throws {
        let file = URL.repository.appending(path: "Sources/APIKitLite/PrivacyInfo.xcprivacy")
        let manifest = try PropertyListSerialization.propertyList(
            from: Data(contentsOf: file), format: nil)

        let status: [String: Any] = [
            "NSPrivacyAccessedAPIType": "NSPrivacyAccessedAPICategoryFileTimestamp",
            "NSPrivacyAccessedAPITypeReasons": ["C617.1", "3B52.1"],
        ]
        let expected: NSDictionary = [
            "NSPrivacyTracking": false, "NSPrivacyTrackingDomains": [],
            "NSPrivacyCollectedDataTypes": [], "NSPrivacyAccessedAPITypes": [status],
        ]
        #expect(try #require(manifest as? NSDictionary) == expected)
    }
}
