import APIKitLite
import ClashingNames
import XCTest

/// A file that imports another module with some of our names: they are qualified.
final class ClashingNamesTests: XCTestCase {
    struct KeyAuthenticator: APIKitLite.Authenticator {
        func apply(_ key: String, to request: URLRequest) throws -> URLRequest {
            try request.header("X-Api-Key", key)
        }
    }

    func testTakesAQualifiedName() throws {
        let policy = APIKitLite.RetryPolicy.standard
        let url = try XCTUnwrap(URL(string: "https://api.example.com"))
        let keys = Credentials(KeyAuthenticator(), for: url, credential: "k")
        let session = URLSession.shared.authenticated(by: keys).retrying(policy)
        let error: any Error = ClashingNames.AuthenticationError.missingCredential

        XCTAssertFalse(error is APIKitLite.AuthenticationError)
        XCTAssertEqual(ClashingNames.RetryPolicy().retryLimit, 2)
        _ = session
    }

    func testTakesANameOfOnesOwn() {
        XCTAssertEqual(HTTPRetryPolicy.standard, APIKitLite.RetryPolicy.standard)
        XCTAssertTrue(HTTPAuthenticationError.self == APIKitLite.AuthenticationError.self)
    }

    func testTakesAScopedImport() throws {
        XCTAssertEqual(standardPolicy(), .standard)
        XCTAssertTrue(
            try KeyInQuery().apply("k", to: URLRequest(url: XCTUnwrap(URL(string: "https://h"))))
                .url?.query() == "key=k")
    }
}
