import APIKitLite
import Foundation
import TestSupport
import Testing

/// Of a long text only a part is shown, and no secret in it.
@Suite(.limited) struct LargeTextTests {
    private static let form = "application/x-www-form-urlencoded"

    private func bodyLine(of error: APIRequestError) -> String {
        error.description.split(separator: "\n").first { $0.hasPrefix("Body: ") }
            .map(String.init) ?? ""
    }

    private func bodyLine(_ body: String, type: String = "application/json") -> String {
        let response = HTTPURLResponse(
            url: URL(string: "https://h")!, statusCode: 500, httpVersion: nil,
            headerFields: ["Content-Type": type])
        return bodyLine(
            of: APIRequestError(
                stage: .validate, response: response, data: Data(body.utf8),
                underlying: UnacceptableStatus(statusCode: 500)))
    }

    private func bodyLine(_ body: String, at path: [PathKey]) -> String {
        let underlying = DecodingError.typeMismatch(
            Bool.self, .init(codingPath: path, debugDescription: ""))
        return bodyLine(
            of: APIRequestError(stage: .parse, data: Data(body.utf8), underlying: underlying))
    }

    /// A secret that is longer than all that is shown.
    private static let long = String(repeating: "hunter2", count: 2_000)

    @Test func hidesASecretLongerThanTheExcerpt() {
        let key = PathKey(stringValue: "a")
        for json in [
            #"{"token":"\#(Self.long)","z":1}"#,
            #"{"a":{"secret":{"deep":["x","\#(Self.long)"]}}}"#,
        ] {
            for line in [bodyLine(json), bodyLine("[\(json),2]", at: [PathKey(intValue: 0), key])] {
                #expect(!line.contains("hunter2") && line.contains("REDACTED"), "\(line)")
            }
        }
        let line = bodyLine("a=b&token=\(Self.long)&c=d", type: Self.form)
        #expect(line == "Body: a=b&token=REDACTED&c=d")
    }

    /// The place of the error moves through secret objects and arrays.
    @Test(arguments: [
        ["secret", "b", "c"], ["secret", "b", "d"], ["secret", "b"], ["secret"],
    ])
    func hidesASecretAtThePlaceOfTheError(_ path: [String]) {
        let rest = String(repeating: "x", count: 500)
        let body =
            #"{"secret":{"b":{"c":"hunter2","d":["hunter2",7]},"rest":"\#(rest)"},"e":9}"#

        let line = bodyLine(body, at: path.map { PathKey(stringValue: $0) })

        #expect(line.contains("REDACTED") && !line.contains("hunter2"), "\(line)")
    }

    @Test func showsTheSameOfALargeBodyAsOfASmallOne() {
        let start = #"{"id":42,"name":"\#(String(repeating: "ä", count: 300))","token":"hunter2""#
        let small = bodyLine(start + "}")
        let large = bodyLine(
            start + #","zzz":"\#(String(repeating: "a/b?c&", count: 10_000))"}"#)

        #expect(small == large)
        #expect(large.hasPrefix(#"Body: {"id":42,"name":"ää"#))
        #expect(large.hasSuffix("ä…"))
    }

    @Test func findsAnErrorBehindMuchElse() {
        let much = (0..<2_000).map { #"{"id":\#($0),"to":"https://h/?a=b"}"# }.joined(
            separator: ",")
        let body = #"{"items":[\#(much),{"id":"here","token":"hunter2"}],"last":1}"#
        let line = bodyLine(
            body,
            at: [
                PathKey(stringValue: "items"), PathKey(intValue: 2_000),
                PathKey(stringValue: "id"),
            ])

        #expect(line == #"Body: …{"id":"here","token":"REDACTED"}…"#)
    }

    // The server chooses the keys.
    @Test func cutsALongKey() {
        let path = PathKey(stringValue: String(repeating: "a the ", count: 5_000))
        let underlying = DecodingError.typeMismatch(
            Int.self, .init(codingPath: [path], debugDescription: ""))
        for body in ["", "{\"a\": 1}"] {
            let error = APIRequestError(
                stage: .parse, data: Data(body.utf8), underlying: underlying)

            #expect(error.description.contains("a the a the"))
            #expect(error.description.utf8.count < 10_000)
        }
    }

    @Test func cutsALongURL() {
        let url = URL(
            string: "https://h/?" + (0..<1_000).map { "a\($0)=\($0)" }.joined(separator: "&"))!
        let event = ExchangeEvent(.started, id: 1, URLRequest(url: url))

        #expect(event.description.utf8.count < 2_100)
        #expect(event.description.hasSuffix("…"))
    }

    /// The secret begins before the end of the shown text, and ends after it.
    @Test func cutsTheTextOfAnErrorAndNoSecretInIt() throws {
        struct Refusal: Error, CustomStringConvertible {
            let description: String
        }
        let request = try URLRequest("POST", URL(string: "https://h")!)
            .header("Authorization", Self.long)
        for padding in [0, 3_990, 3_999] {
            let text = String(repeating: "x", count: padding) + Self.long + "."
            let error = APIRequestError(
                stage: .makeRequest, request: request, underlying: Refusal(description: text))

            #expect(!error.description.contains("hun"))
            #expect(error.description.utf8.count < 4_300)
        }
    }
}
