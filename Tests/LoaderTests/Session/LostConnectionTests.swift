#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import APIKitLite

@Suite(.limited) struct LostConnectionTests {
    // The texts of libcurl, with the code that Foundation on Linux gives them.
    @Test(arguments: [
        ("transfer closed with 7 bytes remaining to read", URLError.Code.badServerResponse, true),
        ("transfer closed with outstanding read data remaining", .unknown, true),
        ("Empty reply from server", .unknown, true),
        ("Send failure: Broken pipe", .unknown, true),
        ("HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)", .unknown, true),
        ("HTTP/2 stream 3 was reset", .unknown, true),
        ("Error in the HTTP2 framing layer", .unknown, true),
        ("Received HTTP/0.9 when not allowed", .unknown, false),
        ("Send failure: Broken pipe", .cannotConnectToHost, false),
    ])
    func hasACodeThatPoliciesRetry(_ text: String, _ code: URLError.Code, _ isLost: Bool) {
        let error = URLError(code, userInfo: [NSLocalizedDescriptionKey: text])

        let named = originalError(of: error) as? URLError

        #expect(named?.code == (isLost ? .networkConnectionLost : code))
        #expect(named?.localizedDescription == text)
    }
}
#endif
