import APIKitLite
import TestSupport

@Suite(.limited) struct BodyBuildingTests {
    private let post = try! URLRequest("POST", URL(string: "https://h/v1")!)

    private func text(_ request: URLRequest) -> String { (request.httpBody ?? Data()).text }

    private func contentType(_ request: URLRequest) -> String? {
        request.value(forHTTPHeaderField: "Content-Type")
    }

    private func boundary(_ parts: MultipartPart...) throws -> String {
        let type = try contentType(post.multipartBody(parts.map(Optional.some)))
        return String(try #require(type).dropFirst("multipart/form-data; boundary=".count))
    }

    private struct Sample: Encodable {
        var zebra = "a/b"
        var apple = [1, 2]
        var mango: String?
        var inner = ["b": true, "a": false]
    }

    @Test func sortsJSONKeysAndKeepsSlashesAndAGivenType() throws {
        let json = try post.jsonBody(Sample())
        let api = try post.header("Content-Type", "application/vnd.api+json").jsonBody([1])

        #expect(text(json) == #"{"apple":[1,2],"inner":{"a":false,"b":true},"zebra":"a/b"}"#)
        #expect(contentType(json) == "application/json")
        #expect(contentType(api) == "application/vnd.api+json")
    }

    @Test func leavesOutWhatIsNil() throws {
        let nothing: Sample? = nil
        let caption: String? = nil
        let file: MultipartPart? = nil
        let any: any Encodable = 7

        #expect(try post.jsonBody(nothing).httpBody == nil)
        #expect(try contentType(post.jsonBody(nothing)) == nil)
        #expect(text(try post.jsonBody(Optional("a"))) == "\"a\"")
        #expect(text(try post.jsonBody([nil, 1])) == "[null,1]")
        #expect(text(try post.jsonBody(["a": 1])) == #"{"a":1}"#)
        #expect(text(try post.jsonBody(any)) == "7")
        let form = try post.multipartBody(
            [caption.map { .text("caption", $0) }, .text("title", "a"), file], boundary: "XX")
        let same = try post.multipartBody([.text("title", "a")], boundary: "XX")
        #expect(form.httpBody == same.httpBody)
    }

    @Test func usesAGivenEncoder() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601

        let request = try post.jsonBody([Date(timeIntervalSince1970: 0)], encoder: encoder)
        #expect(text(request) == #"["1970-01-01T00:00:00Z"]"#)
        #expect(throws: EncodingError.self) { try post.jsonBody([Double.nan]) }
    }

    @Test func writesFormsAsBrowsersDo() throws {
        let request = try post.formBody([
            "z": "a b+c", "a&=": "é~'!()*-._\r\n", "none": nil, "empty": "", "z": 2,
        ])

        #expect(text(request) == "z=a+b%2Bc&a%26%3D=%C3%A9%7E%27%21%28%29*-._%0D%0A&empty=&z=2")
        // Known at run time.
        let items = RequestItems(["b": [2, 3], "a": []] as [String: [Int]])
        #expect(try text(post.formBody(items)) == "b=2&b=3")
    }

    @Test func writesMultipartByteForByte() throws {
        let bytes = Data([0, 255, 13, 10])
        let request = try post.multipartBody(
            [
                .text("title", "Sommer; ü"),
                .file("photo", fileName: "a \"b\".png", contentType: "image/png", data: bytes),
                MultipartPart(name: "raw", data: Data("x".utf8)),
            ], boundary: "XX")

        let texts = [
            """
            --XX
            Content-Disposition: form-data; name="title"

            Sommer; ü
            --XX
            Content-Disposition: form-data; name="photo"; filename="a %22b%22.png"
            Content-Type: image/png


            """,
            """

            --XX
            Content-Disposition: form-data; name="raw"

            x
            --XX--

            """,
        ].map { Data($0.replacing("\n", with: "\r\n").utf8) }
        #expect(request.httpBody == texts[0] + bytes + texts[1])
        #expect(contentType(request) == "multipart/form-data; boundary=XX")
    }

    @Test func derivesABoundaryThatOccursInNoPart() throws {
        #expect(try boundary(.text("a", "b")) == "part-71847ef05f2cd059")
        #expect(try boundary(.text("a", "c")) != "part-71847ef05f2cd059")
        func fileBoundary(_ data: Data, _ name: String = "f") throws -> String {
            try boundary(.text("a", "b"), .file(name, fileName: "a.bin", data: data))
        }
        // Of a large part, only the beginning counts.
        let start = Data("part-".utf8) + Data(repeating: 0x70, count: 5_000)
        var data = start
        var first = try fileBoundary(data)
        let number = try #require(UInt64(first.dropFirst(5), radix: 16))
        // All that would be tried next, one after the other and without anything between.
        for offset in 0..<3_000 {
            data += Data(("part-" + String(format: "%016llx", number &+ UInt64(offset))).utf8)
        }
        let next = "part-" + String(format: "%016llx", number &+ 3_000)
        for _ in 1...2 { #expect(try fileBoundary(data) == next) }
        // It is cut at the end of the data, or a name has it.
        #expect(try fileBoundary(start + Data(first.utf8.dropLast())) == first)
        first = try fileBoundary(start, "x")
        #expect(try fileBoundary(start, first) != first)
        #expect(try fileBoundary(Data("part-part-".utf8)).utf8.count == 21)
    }

    @Test func quotesABoundaryThatIsNotAToken() throws {
        let request = try post.multipartBody([], boundary: "a b:c")

        #expect(contentType(request) == #"multipart/form-data; boundary="a b:c""#)
        #expect(text(request) == "--a b:c--\r\n")
        let longest = String(repeating: "x", count: 70)
        #expect(try text(post.multipartBody([], boundary: longest)) == "--\(longest)--\r\n")
    }
}
