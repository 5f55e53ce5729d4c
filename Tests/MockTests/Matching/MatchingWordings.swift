import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

extension MockWordingTests {
    /// What a report says about requests that do not match.
    func differences() throws -> Wordings {
        let start = String(repeating: "x", count: 79)
        let png = Data([0x89, 0x50, 0x4e, 0x47])
        let json: [(RequestMatcher, String)] = [
            (.any.json(#"{"a":{"b c":[1,{"d":"x"}]}}"#), #"{"a":{"b c":[1,{"d":"y"}]}}"#),
            (.any.json("[1,2]"), "[1]"), (.any.json("[1]"), "[1,{}]"),
            (.any.json(#"{"a":1}"#), "null"), (.any.json(#"{"b":1,"a":"x"}"#), #"{"a":1}"#),
            (.any.json("[1,2,3,4,5,6,7]"), "[0,0,0,0,0,0,0]"),
            (.any.json(#"["\#(start)x"]"#), #"["\#(start)y"]"#),
            (.any.json(#"["\#(start)x"]"#), #"["\#(start)xx"]"#),
            (.any.json(containing: #"{"a":{"b":1}}"#), #"{"a":{"c":1},"x":1}"#),
            (.any.json(containing: #"[{"id":1,"n":2}]"#), #"[{"id":1,"n":3,"x":0}]"#),
            (.any.json(containing: "[1,1]"), "[0,1]"), (.any.json(containing: "[3,1]"), "[1,2,3]"),
        ]
        let title = [MultipartPart.text("title", "x"), .text("tag", "a"), .text("tag", "b")]
        let avatar = MultipartPart.file(
            "avatar", fileName: "a.png", contentType: "image/PNG; q=1", data: png)
        let parts: [(RequestMatcher, [MultipartPart])] = [
            (.any.part("avatar", fileName: "a.png"), title),
            (.any.part("avatar", fileName: "b.png", contentType: "image/jpeg"), [avatar]),
            (.any.part("avatar", data: png + [1]), [avatar]),
            (.any.part("tag", text: "c"), title), (.any.part("a"), []),
            (.any.part("a"), (1...7).map { .text("\($0)", "x") }),
        ]
        let query = URLRequest.url("?token=swordfish").with("Authorization", "Bearer swordfish")
        let others: [(RequestMatcher, URLRequest)] = [
            (.any.header("Authorization", "Bearer a1"), query), (.any.query(["token": "a"]), query),
            (.any.query(["pin": "1"]), query), (.any.query("pin"), query),
            (.any.part("a"), .json("{}")), (.any.part("a"), query),
            (.any.part("a"), .form("--b\r\n", type: "multipart/form-data; boundary=b")),
        ]
        let rows =
            json.map { ($0, URLRequest.json($1)) }
            + (try parts.map { ($0, try URLRequest.test("a", method: "POST").multipartBody($1)) })
            + others
        return Wordings("A request that does not match", rows.map { "\($0.report(on: $1))" })
    }
}
