import TestSupport

@testable import APIKitLite

@Suite(.limited) struct AuthorizationTests {
    private let baseURL = URL(string: "https://api.example.com/v1")!
    private let request = URLRequest(url: URL(string: "https://api.example.com/v1/a")!)

    private func field(_ request: URLRequest) -> String? {
        request.value(forHTTPHeaderField: "Authorization")
    }

    @Test func writesAUserAndAPassword() throws {
        for (user, password, expected) in [
            // RFC 7617, sections 2 and 2.1.
            ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test", "123£", "dGVzdDoxMjPCow=="), ("", "", "Og=="), ("emma", "a:b", "ZW1tYTphOmI="),
        ] {
            let request = try request.authorization(user: user, password: password)
            #expect(field(request) == "Basic \(expected)")
        }
    }

    @Test func writesABearerTokenInPlaceOfWhatWasThere() throws {
        let old = try request.header("authorization", "old")
        let nothing: String? = nil

        let new = try old.authorization(bearer: "mF_9.B5f-4.1JqM")
        #expect(new.allHTTPHeaderFields?.values.sorted() == ["Bearer mF_9.B5f-4.1JqM"])
        #expect(field(new) == "Bearer mF_9.B5f-4.1JqM")
        #expect(try field(old.authorization(bearer: nothing)) == "old")
    }

    /// RFC 6749, section 2.3.1 and appendix B.
    @Test func writesAClientAndItsSecret() throws {
        for (id, secret, expected) in [
            ("service", "secret", "service:secret"), ("a b", "a+b/c=", "a+b:a%2Bb%2Fc%3D"),
            ("id:1", "a:b%", "id%3A1:a%3Ab%25"), ("", "", ":"), ("ü", "£", "%C3%BC:%C2%A3"),
        ] {
            let request = try request.header("Authorization", "old")
                .authorization(clientID: id, clientSecret: secret)
            #expect(field(request) == "Basic \(Data(expected.utf8).base64EncodedString())")
        }
    }

    @Test func coversOnlyItsOrigins() throws {
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

            #expect(try credentials.origins.contain(URL(string: url)) == isCovered, "\(url)")
            #expect(try !credentials.origins.contain(nil), "\(url)")
        }
        // Without a URL, each request carries it to its own origin.
        let everywhere = Credentials.bearer("secret").origins
        #expect(try everywhere.contain(URL(string: "https://evil.example/")))
        #expect(try !everywhere.contain(nil))
        // Otherwise every URL would get the credential, or none.
        for base in ["/v1", "file:///v1", "https:///v1", "api.example.com", "localhost:80"] {
            let credentials = Credentials.bearer("secret", for: baseURL, URL(string: base)!)
            for url in [baseURL, URL(string: base)!, URL(string: "https://evil.example/")!] {
                #expect(throws: RequestBuildingError.self, "\(base)") {
                    try credentials.origins.contain(url)
                }
            }
        }
    }

    @Test(arguments: [
        (400, #"{"error": "invalid_grant"}"#, true), (401, #"{"error": "invalid_grant"}"#, true),
        (400, #"{"error": "invalid_client"}"#, false), (400, "", false), (401, "Denied", false),
        // Auth0, and servers that respond to each request with 200.
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
