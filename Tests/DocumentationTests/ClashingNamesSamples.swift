import APIKitLite
import ClashingNames
import Foundation
import TestSupport
import Testing

/// The sample of ComingFromYourOwnMock.md for a file that imports Alamofire as well.
@Suite(.limited) struct ClashingNamesSamples {
    @Test func aNameIsQualified() {
        let policy = APIKitLite.RetryPolicy.standard

        #expect(policy == HTTPRetryPolicy.standard)
        #expect(ClashingNames.RetryPolicy().retryLimit == 2)
    }

    @Test func aNameIsGivenOnce() {
        #expect(HTTPAuthenticationError.self == APIKitLite.AuthenticationError.self)
        #expect((KeyAuthenticator() as Any) is any HTTPAuthenticator)
    }
}

private struct KeyAuthenticator: HTTPAuthenticator {
    func apply(_ key: String, to request: URLRequest) throws -> URLRequest {
        try request.header("X-Api-Key", key)
    }
}
