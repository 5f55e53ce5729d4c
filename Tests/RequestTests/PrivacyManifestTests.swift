import TestSupport

/// The manifest that Apple asks for, because the library calls `stat`, `fstat` and `lstat`.
@Suite(.limited) struct PrivacyManifestTests {
    @Test func declaresTheStatusOfFilesAndNothingElse() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../..").standardizedFileURL
        let text = try Data(
            contentsOf: root.appending(path: "Sources/APIKitLite/PrivacyInfo.xcprivacy"))

        let manifest = try PropertyListSerialization.propertyList(from: text, format: nil)

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
