import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

/// What `Data`, white space and a doubled type mean in a mock: the same as in the library.
@Suite(.limited) struct MatchedBodyTests {
    private struct User: Codable, Equatable { var name: String }

    private let emma = Data(#"{"name":"Emma"}"#.utf8)

    @Test func matchesDataThatIsJSONAlready() throws {
        let optional: Data? = emma
        for matcher in [
            RequestMatcher.any.json(encoding: emma), .any.json(encoding: optional),
            .any.json(encoding: User(name: "Emma")),
        ] {
            expect(
                matcher, takes: [.json(#"{ "name": "Emma" }"#)],
                leaves: [.json("\"\(emma.base64EncodedString())\""), .json("{}")])
        }
        expect(.any.json(encoding: Data?.none), takes: [.json("null")], leaves: [.json("{}")])
        #expect(
            RequestMatcher.any.json(encoding: Data("{".utf8)).configurationError?
                .contains("could not encode Data") == true)
        let request = try URLRequest("POST", URL(string: "https://h")!).jsonBody(emma)
        expect(.request(request), takes: [request])
    }

    @Test func respondsWithDataAndReturnsItAsItIs() async throws {
        let network = MockNetwork()
        network.stub(.get("/data"), .json(encoding: emma))
        network.stub(.get("/list"), .json(encoding: [emma]))
        let folder = try TemporaryFolder()
        try folder.write(emma, "emma.json")

        #expect(try await network.exchange(.test("data")).0 == emma)
        let list = try await network.exchange(.test("list")).0.text
        #expect(list == "[\"\(emma.base64EncodedString())\"]")
        let record = RecordedRequest(request: .json(emma.text))
        #expect(try record.decode(Data.self) == emma)
        #expect(try record.decode(Data?.self) == emma)
        #expect(try record.decode(User.self) == User(name: "Emma"))
        let loader = JsonLoader(bundle: try #require(Bundle(url: folder.url)))
        #expect(try loader.load(type: Data.self, fileName: "emma") == emma)
        #expect(try loader.load(type: User.self, fileName: "emma") == User(name: "Emma"))
    }

    @Test(arguments: ["", " ", "\r\n", "\t\n ", "\u{feff}"])
    func aBodyOfWhiteSpaceIsEmpty(_ text: String) throws {
        let request = URLRequest.json(text)
        let record = RecordedRequest(request: request)

        #expect(try record.decode(User?.self) == .none)
        #expect(throws: DecodingError.self) { try record.decode(User.self) }
        #expect(record.json == nil)
        #expect(record.body == Data(text.utf8))
        let report = RequestMatcher.any.json("{}").report(on: record)
        #expect("\(report)".contains("but the request has no body"))
        // The bytes still count where bytes are compared.
        expect(.any.body(Data(text.utf8)), takes: [request], leaves: [.json("  ")])
        expect(.request(request), takes: [request], leaves: [.json("  "), .json("{}")])
    }

    @Test func readsTheLastOfSeveralTypes() throws {
        let form = PlantedSecret.form
        expect(
            .any.form(["a": "1"]), takes: ["\(form), \(form)", "text/plain, \(form)"],
            leaves: ["\(form), text/plain", "*/*"], as: { .form("a=1", type: $0) })
        func upload(_ type: String) throws -> URLRequest {
            let boundary = "multipart/form-data; boundary=XX"
            return try URLRequest("POST", URL(string: "https://h")!).multipartBody(
                [.file("f", fileName: "a, b.png", contentType: type, data: Data([1]))],
                boundary: "XX"
            ).header("Content-Type", [boundary, boundary])
        }
        expect(
            .any.part("f", fileName: "a, b.png", contentType: "Image/PNG, image/png"),
            takes: [try upload("image/png, image/png"), try upload("image/png;x=\"a, b/c\"")],
            leaves: [try upload("image/png, image/jpeg")])
        #expect(
            MockResponse.text("a", headers: ["Content-Type": "text/html, text/x; a=b"]).description
                .contains("text/x"))
    }
}
