import APIKitLite
import ClashingNames
import XCTest

/// A file that imports another module with one of our names: it is qualified.
final class ClashingNamesTests: XCTestCase {
    func testTakesAQualifiedName() {
        let policy = APIKitLite.RetryPolicy.standard
        let session = URLSession.shared.retrying(policy)

        XCTAssertEqual(ClashingNames.RetryPolicy().retryLimit, 2)
        _ = session
    }

    func testTakesANameOfOnesOwn() {
        XCTAssertEqual(HTTPRetryPolicy.standard, APIKitLite.RetryPolicy.standard)
    }

    func testTakesAScopedImport() {
        XCTAssertEqual(standardPolicy(), .standard)
    }
}
