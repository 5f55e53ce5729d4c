import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

/// Requests are compared by their meaning. A mark in a recorded one matches any text at its place.
@Suite(.limited) struct ReplayedMarkTests {
    /// Recorded requests, and the number of the one whose response a live request gets; nil if
    /// none.
    typealias Row = (recorded: [URLRequest], live: URLRequest, response: Int?)

    private static func request(_ type: String, body: String) -> URLRequest {
        .api("a", ["Content-Type": type], body: body)
    }

    private static let urls: [([String], String, Int?)] = [
        (["a?x=1&y=2"], "a?y=2&x=1", 0), (["a?x=1"], "a?x=1&y=2", nil),
        (["a?x=1&x=2"], "a?x=1", nil), (["a#top"], "a", 0),
        // Any value at the place of a mark, and no other request.
        (["accounts/REDACTED-1"], "accounts/12345678", 0),
        (["accounts/REDACTED-1"], "accounts/12345678/items", nil),
        (["accounts/REDACTED-1"], "users/12345678", nil),
        (["accounts/REDACTED-1"], "accounts/", nil),
        (["f/report-REDACTED-1.pdf"], "f/report-a%20b.pdf", 0),
        (["f/report-REDACTED-1.pdf"], "f/report-.pdf", nil),
        (["f/report-REDACTED-1.pdf"], "f/report-a.png", nil),
        // Each of two marks matches at least one character.
        (["f/a-REDACTED-1-REDACTED-2.pdf"], "f/a-x-y.pdf", 0),
        (["f/a-REDACTED-1-REDACTED-2.pdf"], "f/a--y.pdf", nil),
        (["f/REDACTED-1REDACTED-2"], "f/xy", 0), (["REDACTED-1/a"], "a/a", 0),
        (["a/REDACTED-1/REDACTED-2"], "a/x/y", 0), (["a?q=REDACTED-1&p=1"], "a?p=1&q=x%26y", 0),
        (["a?q=REDACTED-1&p=1"], "a?p=2&q=x", nil),
        (["a?q=REDACTED-1"], "a?q=", nil), (["a?q=REDACTED-1"], "a?r=x", nil),
        (["a?q=REDACTED-1"], "a?q=x&q=y", nil), (["a?q=1&q=REDACTED-1"], "a?q=x&q=1", 0),
        (["a?q=1&q=REDACTED-1"], "a?q=1", nil), (["a?q=1&q=REDACTED-1"], "a?q=1&q=1", 0),
        (["a?q=REDACTED-1&q=1"], "a?q=1&q=x", 0), (["a?q=REDACTED-1&q=REDACTED-2"], "a?q=x", nil),
        // A secret that is also an ordinary text of the request.
        (["emma?password=REDACTED-1"], "emma?password=emma", 0),
        // An archive without numbers, or with its secrets.
        (["accounts/REDACTED?token=REDACTED"], "accounts/1?token=x", 0),
        (["a?access_token=REDACTED"], "a", nil),
        (["a?access_token=recorded-token"], "a?access_token=live", 0),
        (["a?token=recorded-1", "a?token=recorded-2"], "a?token=recorded-2", 1),
        // The nearest of several.
        (["a/REDACTED-1", "a/me"], "a/me", 1), (["a/REDACTED-1", "a/me"], "a/you", 0),
        (["a/REDACTED-1", "a/REDACTED-2"], "a/REDACTED-2", 1),
        (["a/REDACTED-1", "a/REDACTED-12"], "a/REDACTED-12", 1),
        (["a/REDACTED-1?sig=REDACTED-2", "a/REDACTED-3?sig=REDACTED-4"], "a/REDACTED-3?sig=x", 1),
        (
            ["a?from=REDACTED-1&to=REDACTED-2", "a?from=REDACTED-2&to=REDACTED-1"],
            "a?to=REDACTED-1&from=REDACTED-2", 1
        ),
    ]

    private static let headers: [([[String: String]], [String: String], Int?)] = [
        ([[:]], ["Accept": "text/html"], 0), ([[:]], ["Range": "bytes=5-"], 0),
        ([["Range": "bytes=5-"]], ["Range": "bytes=6-"], nil),
        ([["If-Match": "REDACTED-1"]], ["If-Match": "x"], 0),
        ([["If-Match": "REDACTED-1"]], [:], nil),
        ([["Last-Event-ID": "7"]], ["Last-Event-ID": "8"], nil),
        ([["last-event-id": "7"], ["last-event-id": "8"]], ["Last-Event-ID": "8"], 1),
        ([["X-Api-Key": "rec-1"], ["X-Api-Key": "rec-2"]], ["X-Api-Key": "rec-2"], 1),
        (
            [["Cookie": "a=REDACTED-1"], ["Cookie": "a=REDACTED-2"]],
            ["Cookie": "theme=x; a=REDACTED-2"], 1
        ),
        ([[:], ["Authorization": "REDACTED-1"]], ["Authorization": "Bearer live"], 0),
        ([[:], ["If-None-Match": "1"]], ["If-None-Match": "1"], 1),
    ]

    private static let json: [([String], String, Int?)] = [
        ([#"{"a": 1, "b": [true]}"#], #"{"b":[true],"a":1.0}"#, 0),
        ([#"{"pin":0,"m":"ping"}"#], #"{"m":"ping","pin":41}"#, 0),
        ([#"{"pin":0,"m":"ping"}"#], #"{"m":"pong","pin":41}"#, nil),
        ([#"{"pin":"REDACTED"}"#], #"{"pin":"0B5A6E90"}"#, 0),
        ([#"{"pin":"REDACTED"}"#], #"{"pin":41}"#, nil),
        ([#"{"a":"REDACTED-1","b":2}"#], #"{"b":2,"a":"x"}"#, 0),
        ([#"{"a":"REDACTED-1","b":2}"#], #"{"b":3,"a":"x"}"#, nil),
        ([#"{"a":"REDACTED-1"}"#], #"{"a":{"b":"x"}}"#, nil),
        ([#"{"a":"REDACTED-1"}"#], #"{"a":"x","b":1}"#, nil),
        ([#"[{"u":"https://h/?t=REDACTED-1"}]"#], #"[{"u":"https://h/?t=x"}]"#, 0),
        ([#"{"a":["REDACTED-1","b"]}"#], #"{"a":["x","b"]}"#, 0),
        ([#"{"a":["REDACTED-1","b"]}"#], #"{"a":["b","x"]}"#, nil),
        ([#"{"REDACTED-1":1}"#], #"{"k":1}"#, nil),
        ([#"{"a":"REDACTED-1","b":2}"#], #"{"a":"x","c":3,"b":2}"#, nil),
        ([#"{"a":"REDACTED-1","b":2}"#], #"{"a":"x"c":3,"b":2}"#, nil),
        ([#"{"pin":0}"#], #"{"pin":1234}"#, 0), ([#"{"pin":0}"#], #"{"pin":"1234"}"#, nil),
        ([#"{"id":0}"#], #"{"id":12345678}"#, 0), ([#"{"page":0}"#], #"{"page":1}"#, nil),
        (
            [#"{"user":"emma-1234","password":"REDACTED-1","pin":0}"#],
            #"{"user":"emma-1234","password":"emma-1234","pin":7}"#, 0
        ),
        ([#"{"since":0}"#, #"{"since":1764194137}"#], #"{"since":1764194137}"#, 1),
    ]

    private static func form(_ parts: (String, String)...) -> String {
        parts.map { "--b\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($1)\r\n" }
            .joined() + "--b--\r\n"
    }

    private static let marked = form(("a", "REDACTED-1"), ("b", "1"))

    private static let bodies: [(String, String, String, Int?)] = [
        (PlantedSecret.form, "a=1&b=2", "b=2&a=1", 0),
        (PlantedSecret.form, "password=REDACTED&q=1", "q=1&password=a%26b", 0),
        ("text/plain", "a b", "a b", 0), ("text/plain", "a b", "a  b", nil),
        (PlantedSecret.form, "a=REDACTED-1&b=1", "b=1&a=x%26y", 0),
        (PlantedSecret.form, "a=REDACTED-1&b=1", "b=2&a=x", nil),
        ("text/plain", "hello REDACTED-1!", "hello you and you!", 0),
        ("text/plain", "hello REDACTED-1!", "hello you", nil),
        ("application/x-ndjson", "{\"pin\":0}\n{\"a\":1}\n", "{\"pin\":12}\n{\"a\":1}\n", 0),
        (PlantedSecret.multipart, marked, form(("b", "1"), ("a", "x")), 0),
        (PlantedSecret.multipart, marked, form(("b", "2"), ("a", "x")), nil),
    ]

    static let rows: [Row] = {
        var rows: [Row] = urls.map { ($0.map { .api($0) }, .api($1), $2) }
        rows += headers.map { ($0.map { .api("a", $0) }, .api("a", $1), $2) }
        let type = "application/json"
        rows += json.map { ($0.map { request(type, body: $0) }, request(type, body: $1), $2) }
        rows += bodies.map { ([request($0, body: $1)], request($0, body: $2), $3) }
        let one = form(("a", "1"))
        return rows + [
            ([.test("a", method: "DELETE")], .test("a"), nil),
            ([request(type, body: "[1]")], .api(body: "[1.0]"), 0),
            // A recorded form may lack its type.
            ([.api(body: "a=1&b=2")], request(PlantedSecret.form, body: "b=2&a=1"), 0),
            (
                [request(PlantedSecret.multipart, body: one)],
                request("multipart/form-data; boundary=y", body: one.replacing("--b", with: "--y")),
                0
            ),
        ]
    }()

    @Test func aMarkMatchesAnyValueAtItsPlace() async throws {
        let exchange = try HTTPArchive.of(entry())[0]
        func name(_ row: Row) -> String {
            (row.recorded + [row.live]).map { $0.curlCommand(redacting: .none) }
                .joined(separator: "\n")
        }
        await forEachRow(Self.rows, named: name) { row, comment in
            let exchanges = row.recorded.enumerated().map { index, recorded in
                var exchange = exchange
                exchange.request = recorded
                exchange.body = Data("\(index)".utf8)
                return exchange
            }
            let network = MockNetwork()
            network.stub(HTTPArchive(exchanges), times: .any)
            let response = try? await network.exchange(row.live).0.text
            #expect(response == row.response.map { "\($0)" }, comment)
        }
    }

    /// A name that one archive hides is compared in another archive.
    @Test func comparesARequestWithEachArchiveByItsOwnRule() async throws {
        let network = MockNetwork()
        network.stub(try .of(entry("GET", "/a?page=1", text: "a")))
        network.stub(
            try .of(entry("GET", "/b?page=1", text: "b")), redacting: .standard.adding("page"))

        #expect(try await network.exchange(.api("a?page=1")).0.text == "a")
        #expect(try await network.exchange(.api("b?page=2")).0.text == "b")
    }

    @Test(arguments: ["accounts/*/items/#", "a?access_token=*"])
    func respondsToManyRequestsWithMarks(_ template: String) async throws {
        func path(_ index: Int, _ mark: String) -> String {
            template.replacing("*", with: mark).replacing("#", with: "\(index)")
        }
        let entries = (0..<50).map { index in
            entry("GET", "/" + path(index, "REDACTED-\(index)"), text: "\(index)")
        }
        let network = try MockNetwork.replaying(entries.joined(separator: ","))
        for index in 0..<50 {
            let live = URLRequest.api(path(index, "live"))
            #expect(try await network.exchange(live).0.text == "\(index)")
        }
        try network.verify()
    }
}
