import TestSupport

@testable import APIKitLite

@Suite(.limited) struct LargeTextTests {
    private static let form = "application/x-www-form-urlencoded"

    @Test(arguments: [(2, "aa"), (3, "aa"), (4, "aa"), (5, "aa"), (6, "aa😀"), (7, "aa😀b")])
    func beginsWithWholeCharacters(_ limit: Int, _ text: String) {
        #expect(Data("aa😀b".utf8).beginning(limit) == Data(text.utf8))
    }

    private func bodyLine(
        _ body: String, type: String = "application/json", of request: URLRequest? = nil,
        at path: [PathKey]? = nil
    ) -> String {
        let underlying: any Error =
            path.map {
                DecodingError.typeMismatch(Bool.self, .init(codingPath: $0, debugDescription: ""))
            } ?? UnacceptableStatusError(statusCode: 500)
        let error = APIRequestError(
            stage: .validate, request: request,
            response: .typed(type, 500), data: Data(body.utf8), underlying: underlying)
        return error.description.split(separator: "\n").first { $0.hasPrefix("Body: ") }
            .map(String.init) ?? ""
    }

    @Test func hidesASecretLongerThanTheExcerpt() {
        let long = String(repeating: "hunter2", count: 700)
        for json in [
            #"{"token":"\#(long)","z":1}"#, #"{"a":{"secret":{"deep":["x","\#(long)"]}}}"#,
        ] {
            for line in [bodyLine(json), bodyLine("[\(json),2]", at: [0, "a"])] {
                #expect(!line.contains("hunter2") && line.contains("REDACTED"), "\(line)")
            }
        }
        let line = bodyLine("a=b&token=\(long)&c=d", type: Self.form)
        #expect(line == "Body: a=b&token=REDACTED&c=d")
    }

    @Test func hidesASecretAtThePlaceOfTheError() {
        let rest = String(repeating: "x", count: 500)
        let body = #"{"secret":{"b":{"c":"hunter2","d":["hunter2",7]},"rest":"\#(rest)"},"e":9}"#
        for path: [PathKey] in [
            ["secret", "b", "c"], ["secret", "b", "d"], ["secret", "b"], ["secret"],
        ] {
            let line = bodyLine(body, at: path)
            #expect(line.contains("REDACTED") && !line.contains("hunter2"), "\(line)")
        }
    }

    @Test func showsTheSameOfALargeBodyAsOfASmallOne() {
        let start = #"{"id":42,"name":"\#(String(repeating: "ä", count: 300))","token":"hunter2""#
        let small = bodyLine(start + "}")
        let large = bodyLine(start + #","zzz":"\#(String(repeating: "a/b?c&", count: 10_000))"}"#)

        #expect(small == large)
        #expect(large.hasPrefix(#"Body: {"id":42,"name":"ää"#) && large.hasSuffix("ä…"))
    }

    // The server chooses the keys.
    @Test func cutsALongKey() {
        let path = PathKey(stringValue: String(repeating: "a the ", count: 5_000))
        let underlying = DecodingError.typeMismatch(
            Int.self, .init(codingPath: [path], debugDescription: ""))
        for body in ["", "{\"a\": 1}"] {
            let text = APIRequestError(
                stage: .parse, data: Data(body.utf8), underlying: underlying
            ).description

            #expect(text.contains("a the a the") && text.utf8.count < 10_000)
        }
    }

    @Test func cutsALongURL() {
        let query = (0..<1_000).map { "a\($0)=\($0)" }.joined(separator: "&")
        let event = ExchangeEvent(.started, id: 1, .plain("https://h/?\(query)"))

        #expect(event.description.utf8.count < 2_100 && event.description.hasSuffix("…"))
    }

    #if os(Linux)
    /// Bodies of each kind: their beginning, what they repeat, and their content type.
    private static let kinds = [
        ("[", #"{"id":42,"name":"Emma","to":"https://h/?a=b"},"#, "application/json"),
        ("[\n", "  {\n    \"id\": 42,\n    \"token\": \"hunter2\"\n  },\n", "application/json"),
        ("[\"", "é🎈a/b?c=d ", "application/json"), ("", "a=b&to=https%3A%2F%2Fh%2F&", form),
        ("", "Nothing to see. ", "text/plain"), ("<html>", "<p>Nothing</p>\n", "text/html"),
        ("", "{\"id\":42}\n", "application/x-ndjson"),
        ("", "data: {\"id\":42}\n\n", "text/event-stream"), ("\u{1}", "\u{0}\u{ff}", "a/b"),
    ]

    /// Of 200 MB, each text reads 2 MB at most, and is short.
    @Test(arguments: kinds)
    func readsTheBeginningOfABodyOnly(_ start: String, _ unit: String, _ type: String) throws {
        let body = VastBody(start, repeating: unit)
        let request = URLRequest.plain(
            "https://h/v1", method: "POST", headers: ["Content-Type": type], body: body.data)
        func context(_ path: PathKey...) -> DecodingError.Context {
            .init(codingPath: path, debugDescription: "It is wrong.")
        }
        for underlying in [
            UnacceptableStatusError(statusCode: 500), DecodingError.dataCorrupted(context()),
            DecodingError.typeMismatch(Bool.self, context(1_000, "id")),
            DecodingError.keyNotFound(PathKey("id"), context(99_999_999)),
            DecodingError.dataCorrupted(context()).about(body.data), StreamError.compressed,
        ] as [any Error] {
            let error = APIRequestError(
                stage: .parse, request: request, response: .typed(type, 500), data: body.data,
                underlying: underlying)
            let failed = ExchangeEvent(.failed(error), id: 1, request).description
            let isRefused = underlying is UnacceptableStatusError
            for text in isRefused ? error.texts + [failed] : [error.description] {
                #expect(text.utf8.count < 2_000, "\(text)")
            }
        }
        #expect(request.curlCommand().utf8.count < 200)
        #expect(ExchangeEvent(.started, id: 1, request).description.utf8.count < 100)
        #expect(body.bytesRead < 4_000_000, "\(body.bytesRead)")
    }
    #endif

    @Test func showsTheBeginningOfJSONOnly() {
        for (body, expected) in [
            (
                #"{"message":"No such user","list":[1,{"a":"\#(String(repeating: "é🎈", count: 30_000))"}]}"#,
                #"Body: {"message":"No such user","list":[1,{"a":"é🎈"#
            ),
            (
                "{\"message\": \"No such user\",\n" + String(repeating: " ", count: 5_000)
                    + "\"list\": [" + String(repeating: "\n  12,", count: 20_000) + "0]}",
                #"Body: {"message": "No such user", "list": [ 12, 12, 12"#
            ),
            (
                #"{"token":"\#(String(repeating: "hunter2", count: 20_000))","message":"x"}"#,
                #"Body: {"token":"REDACTED…"#
            ),
            (#"{"a":1,"b":tru"# + String(repeating: "e", count: 200_000), ""),
            ("[section]\npassword = hunter2\n" + String(repeating: "# text\n", count: 20_000), ""),
            ("[2026-01-01] password hunter2\n" + String(repeating: "line\n", count: 30_000), ""),
        ] {
            let line = bodyLine(body)
            #expect(line.hasPrefix(expected) && line.isEmpty == expected.isEmpty, "\(line)")
        }
    }

    @Test func findsTheNeighbourhoodInALargeBody() {
        let much = String(
            repeating: #"{"id":1,"to":"https://h/?a=b","list":[[],{}]},"#, count: 2_500)
        for (body, shown) in [
            (
                #"{"a":"\"}","items":[\#(much){"id":"here","pin":7}, 2],"z":1}"#,
                #"…{"id":"here","pin":0}…"#
            ),
            // The name of the secret is far before what is shown.
            (#"{"a":[{}],"items":[\#(much){"id":"here"}]}"#, #"…{"id":"here"}…"#),
        ] { #expect(bodyLine(body, at: ["items", 2_500, "id"]) == "Body: " + shown) }
        let secret = #"{"a":0,"secret":{"deep":[\#(much){"id":"hunter2","b":["hunter2",7]}]}}"#
        for rest: [PathKey] in [[], ["id"], ["b"]] {
            let line = bodyLine(secret, at: ["secret", "deep", 2_500] + rest)
            #expect(line.contains("REDACTED") && !line.contains("hunter"), "\(line)")
        }
        let list = #"{"passwords":[\#(String(repeating: #""x","#, count: 5_000))"hunter2"]}"#
        #expect(bodyLine(list, at: ["passwords", 5_000]) == #"Body: …"REDACTED"…"#)
    }

    /// A secret is at each place around the end of what is read of a body, and all before it is short
    /// when it is redacted. It is known by its name, its value or its shape, or is in a URL.
    @Test(arguments: [
        (#"{"token":""#, #"","password":""#, "zQ8hunter2Lm"),
        (#"{"token":""#, #"","note":"it is "#, "zQ8hunter2Lm"),
        (#"{"token":""#, #"","note":"it is "#, "ghp_1234567890abcdefABCDEF1234567890abcd"),
        (#"{"token":""#, #"","next":"https:\/\/emma:"#, #"zQ8hunter2Lm@h\/"#),
        (#"{"token":""#, #"","next":"/a?token="#, "zQ8hunter2Lm"),
        (#"{"token":""#, #"","j":"{\"token\":\""#, #"zQ8hunter2Lm\"}"#),
        (#"{"token":""#, #"",""#, #"zQ8hunter2Lm":"x"#),
        (#"[{"token":""#, #""},{"a":"\u00e9\ud83c\udf88","pin":""#, #"\u007aQ8hunter2Lm"#),
        ("token=", "&password=", "zQ8hunter2Lm"), ("token=", "&note=it+is+", "zQ8hunter2Lm"),
        ("token=", "&next=%2Fa%3Ftoken%3D", "zQ8hunter2Lm"),
        ("token=", "&f=%7B%22pin%22%3A%22", "zQ8hunter2Lm%22%7D"),
    ])
    func halvesNoSecret(_ start: String, _ before: String, _ secret: String) throws {
        let request = try URLRequest("GET", URL(string: "https://h")!)
            .header("Authorization", "Bearer zQ8hunter2Lm")
        let window = Redaction.standard.hidingValues(of: request).window
        let isForm = start == "token="
        let end = isForm ? "" : start.hasPrefix("[") ? #""}]"# : #""}"#
        // Of a smaller body, all secrets are read, and more of it with them.
        let rest = String(repeating: "x", count: Redaction.longestBody) + end
        let last = secret.utf8.count + 3
        for offset in stride(from: -2, to: last, by: last / 5) {
            let count = window - offset - start.utf8.count - before.utf8.count
            let text = bodyLine(
                start + String(repeating: "s", count: count) + before + secret + rest,
                type: isForm ? Self.form : "application/json", of: request)
            #expect(text.contains("REDACTED"), "\(offset): \(text)")
            for half in ["zQ8", "hun", "ghp", "u007a"] {
                #expect(!text.contains(half), "\(offset): \(text)")
            }
        }
    }

    @Test func halvesNoSecretOfAText() throws {
        // Longer than what is read without it.
        let secret = "zQ8" + String(repeating: "hunter2", count: 2_000)
        let request = try URLRequest("GET", URL(string: "https://h")!)
            .header("X-Api-Key", secret)
        for offset in stride(from: 0, to: 4_100, by: 800) {
            let text =
                String(repeating: "x ", count: offset / 2) + secret
                + String(repeating: " y", count: 1_000)
            let error = APIRequestError(
                stage: .validate, request: request, underlying: Failure(description: text))
            #expect(!error.description.contains("zQ8") && !error.description.contains("hunter"))
            #expect(error.description.utf8.count < 4_300)
        }
    }
}
