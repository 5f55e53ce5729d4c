import APIKitLite
import Foundation
import PointsOfInterest
import Testing

/// The sign-in, tested without a session.
@Suite struct SignInTests {
    let signIn = SignInRequest(baseURL: URL(string: "https://example.com/v1")!)

    @Test func asksForAToken() throws {
        let made = try signIn.makeRequest(from: ())

        #expect(made.httpMethod == "POST")
        #expect(made.url?.absoluteString == "https://example.com/v1/token")
        #expect(made.httpBody == Data("grant_type=client_credentials&client_id=pois".utf8))
    }

    @Test func parsesAToken() throws {
        let json = #"{"access_token": "abc", "token_type": "Bearer"}"#

        #expect(
            try signIn.parseResponse(data: Data(json.utf8)) == AccessToken("abc"))
    }

    @Test(arguments: ["{}", #"{"access_token": null, "token_type": "Bearer"}"#, ""])
    func refusesAResponseWithoutAToken(_ json: String) {
        #expect(throws: DecodingError.self) {
            try signIn.parseResponse(data: Data(json.utf8))
        }
    }
}
