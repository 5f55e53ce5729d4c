import Foundation
import TestSupport
import Testing

@testable import APIKitLite

@Suite(.limited) struct AuthorizationTests {
    private let baseURL = URL(string: "https://api.example.com/v1")!

    private func request(_ url: String = "https://api.example.com/v1/a") -> URLRequest {
        URLRequest(url: URL(string: url)!)
    }

    @Test(arguments: [
        // RFC 7617, sections 2 and 2.1.
        ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("test", "123£", "Basic dGVzdDoxMjPCow=="),
        ("", "", "Basic Og=="),
        ("emma", "a:b", "Basic ZW1tYTphOmI="),
    ])
    func writesAUserAndAPassword(_ user: String, _ password: String, _ expected: String) throws {
        let request = try request().authorization(user: user, password: password)

        #expect(request.value(forHTTPHeaderField: "Authorization") == expected)
    }

    @Test func writesABearerTokenInPlaceOfWhatWasThere() throws {
        let request = try request().header("authorization", "old")
            .authorization(bearer: "mF_9.B5f-4.1JqM")

        #expect(request.allHTTPHeaderFields?.values.sorted() == ["Bearer mF_9.B5f-4.1JqM"])
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer mF_9.B5f-4.1JqM")
    }

    @Test func keepsTheRequestWithoutAToken() throws {
        let token: String? = nil
        let request = try request().header("Authorization", "old").authorization(bearer: token)

        #expect(request.value(forHTTPHeaderField: "Authorization") == "old")
    }

    /// RFC 6749, section 2.3.1 and appendix B.
    @Test(arguments: [
        ("service", "secret", "service:secret"), ("a b", "a+b/c=", "a+b:a%2Bb%2Fc%3D"),
        ("id:1", "a:b%", "id%3A1:a%3Ab%25"), ("", "", ":"), ("ü", "£", "%C3%BC:%C2%A3"),
    ])
    func writesAClientAndItsSecret(_ id: String, _ secret: String, _ expected: String) throws {
        let request = try request().header("Authorization", "old")
            .authorization(clientID: id, clientSecret: secret)

        let pair = Data(expected.utf8).base64EncodedString()
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Basic \(pair)")
    }

    @Test func coversOnlyItsOrigins() {
        let rows: [(String, Bool)] = [
            ("https://api.example.com", true), ("https://API.example.com:443/other?q=1", true),
            ("https://cdn.example.com/a", true), ("http://api.example.com/", false),
            ("https://api.example.com:8443/", false), ("https://example.com/", false),
            ("https://api.example.com.evil.example/", false),
            ("https://evil.example/api.example.com", false),
            ("https://api.example.com@evil.example/", false), ("file:///a", false), ("/v1", false),
        ]
        for (url, isCovered) in rows {
            let credentials = Credentials.bearer(
                "secret", for: baseURL, URL(string: "https://cdn.example.com/x")!)

            #expect(credentials.covers(URL(string: url)) == isCovered, "\(url)")
            #expect(!credentials.covers(nil), "\(url)")
        }
        // Without a URL, each request carries it to its own origin.
        #expect(Credentials.bearer("secret").covers(URL(string: "https://evil.example/")))
        #expect(!Credentials.bearer("secret").covers(nil))
        // Otherwise every URL would get the credential, or each without a host.
        for base in ["/v1", "file:///v1", "https:///v1"].compactMap(URL.init(string:)) {
            #expect(!Credentials.bearer("secret", for: base).covers(base), "\(base)")
            #expect(!Credentials.bearer("secret", for: base).covers(baseURL), "\(base)")
        }
    }

    @Test(arguments: [
        (400, #"{"error": "invalid_grant"}"#, true), (401, #"{"error": "invalid_grant"}"#, true),
        (400, #"{"error": "invalid_client"}"#, false), (400, "", false), (401, "Denied", false),
        // Auth0, and servers that answer each request with 200.
        (403, #"{"error": "invalid_grant"}"#, true), (200, #"{"error": "invalid_grant"}"#, true),
        (403, #"{"error": "access_denied", "error_description": "invalid_grant"}"#, false),
        (403, #"{"error": {"code": "invalid_grant"}}"#, false), (403, "invalid_grant", false),
        (500, "", false), (503, #"{"error": "temporarily_unavailable"}"#, false),
    ])
    func isRefusedForGood(_ status: Int, _ body: String, _ isInvalid: Bool) {
        let error = APIRequestError(
            stage: .validate, response: .status(status), data: Data(body.utf8),
            underlying: UnacceptableStatusError(statusCode: status))

        #expect(error.isInvalidGrant == isInvalid)
    }
}
