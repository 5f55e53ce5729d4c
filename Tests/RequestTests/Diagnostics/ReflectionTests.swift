import TestSupport

@testable import APIKitLite

@Suite(.limited) struct ReflectionTests {
    private static let url = URL(string: "https://h/?token=hunter2")!
    private static let request = URLRequest.plain(
        "https://h/?token=hunter2", headers: ["Authorization": "Bearer hunter2"],
        body: Data("password=hunter2".utf8))
    private static var error: APIRequestError {
        APIRequestError(
            stage: .validate, request: request, data: Data(#"{"token":"hunter2"}"#.utf8),
            underlying: UnacceptableStatusError(statusCode: 401))
    }

    private static let rejection = Credentials<String>.Rejection(
        credential: "hunter2", request: request, session: FixedSession())

    private static let values: [(String, any Sendable)] = [
        ("Credentials", Credentials.bearer("hunter2", for: url)),
        ("basic Credentials", Credentials.basic(user: "emma", password: "hunter2", for: url)),
        ("a password", Credentials.basic(user: "emma", password: "hunter2").credential),
        ("a token", Credentials.bearer("hunter2").credential), ("a rejection", rejection),
        ("a session", FixedSession().authenticated(by: .bearer("hunter2", for: url))),
        (
            "a session, with a credential's URL without a scheme",
            FixedSession().authenticated(
                by: .bearer("token", for: URL(string: "//user:hunter2@api.example.com")!))
        ),
        ("started", ExchangeEvent(.started, id: 1, request)),
        ("failed", ExchangeEvent(.failed(error), id: 1, request)),
        ("lost", ExchangeEvent(rejected: error, id: 1)), ("APIRequestError", error),
    ]

    @Test func showsNoCredential() {
        for (name, value) in Self.values {
            for value in [value, [value], Optional(value) as Any, (value, 1)] as [Any] {
                var dumped = ""
                dump(value, to: &dumped)
                var debugged = ""
                debugPrint(value, to: &debugged)
                for text in [dumped, debugged, "\(value)", String(reflecting: value)] {
                    #expect(!text.contains("hunter2"), "\(name): \(text)")
                    // The first byte of "hunter2", in a body that is shown as numbers. A text may
                    // also have these digits in an address.
                    #expect(!text.contains(/\b104\b/), "\(name): \(text)")
                }
            }
        }
    }

    @Test func stillSaysWhatItIs() {
        let token = Credentials<String>("hunter2") { try $1.authorization(bearer: $0) }
        #expect("\(token)" == "Credentials<String>")
        #expect("\(Self.rejection)" == "Rejection")
    }
}
