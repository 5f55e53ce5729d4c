import APIKitLite
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Of a large body only a part is redacted. No secret may be cut in such a way that half of it is
/// shown.
@Suite(.timeLimit(.minutes(5))) struct LargeTextTests {
    private static let form = "application/x-www-form-urlencoded"

    private func bodyLine(_ body: String, type: String) -> String {
        let response = HTTPURLResponse(
            url: URL(string: "https://h")!, statusCode: 500, httpVersion: nil,
            headerFields: ["Content-Type": type])
        let error = APIRequestError(
            stage: .validate, response: response, data: Data(body.utf8),
            underlying: UnacceptableStatus(statusCode: 500))
        return error.description.split(separator: "\n").first { $0.hasPrefix("Body: ") }
            .map(String.init) ?? ""
    }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int?
        init(stringValue: String) { self.stringValue = stringValue }
        init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }
    }

    private func bodyLine(_ body: String, at path: Key...) -> String {
        let underlying = DecodingError.typeMismatch(
            Bool.self, .init(codingPath: path, debugDescription: ""))
        let error = APIRequestError(stage: .parse, data: Data(body.utf8), underlying: underlying)
        return error.description.split(separator: "\n").first { $0.hasPrefix("Body: ") }
            .map(String.init) ?? ""
    }

    /// A secret that is longer than all that is read, in each way to write one.
    private static let long = String(repeating: "hunter2", count: 2_000)
    private static let secrets = [
        #"{"token":"\#(long)","#, #"{"secret":{"deep":["x","\#(long)"#,
        #"{"a":"https://u:\#(long)@h","#,
        #"{"a":"https://\#(long)@h","#, #"{"a":"https:\/\/u:\#(long)@h","#,
        #"{"a":"{\"token\":\"\#(long)\"}","#, #"{"a":"{\"\\u0074oken\":\"\#(long)\"}","#,
        #"{"a":"b https%3A%2F%2Fu%3A\#(long)%40h","#, #"{"a":"?x=https%3A%2F%2F\#(long)%40h","#,
        #"{"a":"token=\#(long)","#, #"{"a":"Authorization: Basic \#(long)","#,
        #"{"a":"{\"b\":\"{\\\"password\\\":\\\"\#(long)\\\"}\"}","#,
    ]

    @Test func hidesASecretLongerThanTheExcerpt() {
        for start in Self.secrets {
            let isDeep = start.hasPrefix(#"{"secret""#)
            let body = start + (isDeep ? #""]},"# : "") + #""z":1}"#

            #expect((try? JSONText(body.utf8)) != nil, "\(start.prefix(50))")
            let line = bodyLine(body, type: "application/json")
            #expect(!line.contains("hunter2"), "\(start.prefix(50))")
            #expect(line.contains("REDACTED"), "\(start.prefix(50))")
            let inString = JSONText.quoted(body)
            #expect(
                !bodyLine(#"[1,\#(inString)]"#, type: "application/json").contains("hunter2"),
                "\(start.prefix(50))")
            #expect(
                !bodyLine(#"[1,\#(inString),2]"#, at: Key(intValue: 1)).contains("hunter2"),
                "\(start.prefix(50))")
            #expect(
                !bodyLine(#"[\#(inString),2]"#, at: Key(intValue: 1)).contains("hunter2"),
                "\(start.prefix(50))")
        }
    }

    @Test func hidesASecretLongerThanTheExcerptOfAForm() {
        let rows: [String] = [
            "a=b&token=\(Self.long)&c=d", "to=https://u:\(Self.long)@h&c=d",
            "to=https%3A%2F%2Fu:\(Self.long)%40h",
            "to=https%3A%2F%2F\(Self.long)%40h", "x=%7B%22token%22:%22\(Self.long)%22%7D&c=d",
            "//\(Self.long)@h/",
        ]
        for form in rows {
            let line = bodyLine(form, type: Self.form)

            #expect(!line.contains("hunter2") && line.contains("REDACTED"), "\(form.prefix(50))")
        }
    }

    /// The place where reading stops moves over the secret, byte by byte.
    @Test(arguments: [
        #""token":"hunter2""#, #""a":"https://u:hunter2@h/""#, #""a":"?token=hunter2""#,
        #""a":"{\"token\":\"hunter2\"}""#, #""secret":[1,"hunter2"]"#,
        #""a":"x%3Ftoken%3Dhunter2""#,
        #""a":"éé https://hunter2@h""#, #""\u0074oken":"hunter2""#,
    ])
    func hidesASecretWhereverReadingStops(_ member: String) {
        // Nearly all that stands before is hidden, so that what is shown reaches the end of it.
        for padding in 2_140..<2_240 {
            let before = #"{"password":"\#(String(repeating: "x", count: padding))",\#(member)"#
            let body = before + #","rest":"\#(String(repeating: "y", count: 100))"}"#
            let line = bodyLine(body, type: "application/json")
            #expect(!line.contains("hunter2"), "\(padding): \(line)")
            #expect(!line.contains("\u{fffd}"), "\(padding): \(line)")
        }
    }

    /// The place where reading begins moves too: a thousand bytes and more before the error.
    @Test func hidesASecretWhereverReadingBegins() {
        for padding in stride(from: 0, to: 3_000, by: 7) {
            let rest = String(repeating: "[],", count: padding / 3)
            let body =
                #"{"secret":{"a":[\#(rest)"hunter2"],"b":{"c":"hunter2","d":[\#(rest)7]}},"e":9}"#
            for path in [["secret", "b", "d"], ["secret", "b", "c"], ["e"]] {
                let keys = path.map { Key(stringValue: $0) }
                let line = { () -> String in
                    let underlying = DecodingError.typeMismatch(
                        Bool.self, .init(codingPath: keys, debugDescription: ""))
                    return APIRequestError(
                        stage: .parse, data: Data(body.utf8), underlying: underlying
                    ).description
                }()
                #expect(!line.contains("hunter2"), "\(padding): \(line)")
            }
        }
    }

    @Test func showsTheSameOfALargeBodyAsOfASmallOne() {
        let start = #"{"id":42,"token":"hunter2","name":"\#(String(repeating: "ä", count: 300))""#
        let small = bodyLine(start + "}", type: "application/json")
        let large = bodyLine(
            start + #","rest":"\#(String(repeating: "a/b?c&", count: 10_000))"}"#,
            type: "application/json")

        #expect(small == large)
        #expect(large.hasPrefix(#"Body: {"id":42,"token":"REDACTED","name":"ää"#))
        #expect(large.hasSuffix("ä…"))
    }

    @Test func findsAnErrorBehindMuchElse() {
        let much = (0..<20_000).map { #"{"id":\#($0),"to":"https://h/?a=b"}"# }.joined(
            separator: ",")
        let body = #"{"items":[\#(much),{"id":"here","token":"hunter2"}],"last":1}"#
        let line = bodyLine(
            body, at: Key(stringValue: "items"), Key(intValue: 20_000), Key(stringValue: "id"))

        #expect(line.contains(#"{"id":"here","token":"REDACTED"}],"last":1}"#))
        #expect(line.utf8.count <= 206)
    }

    // The server chooses the keys, and each of these begins the search for a secret.
    @Test func cutsALongKey() {
        let path = Key(stringValue: String(repeating: "authorization: the ", count: 50_000))
        let underlying = DecodingError.typeMismatch(
            Int.self, .init(codingPath: [path], debugDescription: ""))
        for body in ["", "{\"a\": 1}"] {
            let error = APIRequestError(
                stage: .parse, data: Data(body.utf8), underlying: underlying)

            #expect(error.description.contains("authorization: the"))
            #expect(error.description.utf8.count < 10_000)
        }
    }

    @Test(arguments: [
        "authorization: the ", "'\\''authorization: the ", "'\\''token: the ", "\\\"token: the ",
        "'\\''authorization: the\n", "key:1,", "auth:{", "key=", "<password ",
    ])
    func findsASecretAfterManyNamesInProse(_ prose: String) {
        let text = String(repeating: prose, count: 20_000) + "token=hunter2"

        let shown = Redaction.standard.text(text)

        let isProseKept = shown.hasPrefix(prose + prose)
        #expect(isProseKept)
        #expect(!shown.suffix(100).contains("hunter2"))
    }

    @Test func cutsALongURL() {
        let url = URL(
            string: "https://h/?" + (0..<10_000).map { "a\($0)=\($0)" }.joined(separator: "&"))!
        let event = ExchangeEvent.started(id: 1, URLRequest(url: url))

        #expect(event.description.utf8.count < 2_100)
        #expect(event.description.hasSuffix("…"))
    }

    @Test func cutsTheTextOfAnError() {
        struct Refusal: Error, CustomStringConvertible {
            let description: String
        }
        for start in ["", "token=", "https://u:", "https://", #"{"secret":""#, "%2Fhttps%3A%2F%2F"]
        {
            let text = start + Self.long + "@h"
            let error = APIRequestError(
                stage: .makeRequest, underlying: Refusal(description: text))
            #expect(error.description.contains("hunter2") == start.isEmpty, "\(start)")
            #expect(error.description.utf8.count < 4_200)
        }
    }
}
