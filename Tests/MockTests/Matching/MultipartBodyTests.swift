import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited) struct MultipartBodyTests {
    private func parts(
        _ text: String, type: String? = "multipart/form-data; boundary=b", lines: String = "\r\n"
    ) throws(MultipartBody.Failure) -> [RecordedPart] {
        try MultipartBody.parts(of: Data(text.replacing("\n", with: lines).utf8), contentType: type)
    }

    private static let title = "Content-Disposition: form-data; name=\"title\"\n\n"

    @Test(arguments: [
        ("--b\n\(title)x\n--b--", ["x"]), ("--b\n\(title)x\n--b--\n", ["x"]),
        ("--b\n\(title)\n--b--", [""]), ("--b\n\(title)\n\n--b--", ["\r\n"]),
        ("--b\n\(title)1\n--b\n\(title)2\n--b--", ["1", "2"]),
        ("preamble\n--b\n\(title)x\n--b--\nepilogue\n--b\n", ["x"]),
        ("\n--b\n\(title)x\n--b--", ["x"]),
        // Only a whole line is a delimiter.
        ("--b\n\(title)--bc\n --b\n-–b\n--b--", ["--bc\r\n --b\r\n-–b"]),
        ("--b\n\(title)a --b--\n--b--", ["a --b--"]),
        // Blanks at the end of the line, which a gateway adds (RFC 2046, section 5.1.1).
        ("--b \n\(title)x\n--b \t--\n--b\t\n\(title)y\n--b--", ["x\r\n--b \t--", "y"]),
        ("--b\n\(title)1\n--b  \n\(title)2\n--b-- \n", ["1", "2"]),
        ("preamble \n--b\t \n\(title) x \n--b--\t", [" x "]),
        ("--b\n\(title)a\n--b c\n--b -\n--b--", ["a\r\n--b c\r\n--b -"]),
        ("--b\n\(title)\n--b \n\(title)\n--b--", ["", ""]),
        // The empty line may be missing if nothing follows.
        ("--b\nContent-Disposition: form-data; name=a\n\n--b--", [""]), ("--b--\n", []),
    ])
    func cutsABodyAtItsBoundary(_ body: String, _ contents: [String]) throws {
        #expect(try parts(body).map(\.data.text) == contents)
    }

    @Test(arguments: [
        ("form-data; name=\"a\"", "a", nil), ("form-data; name=a", "a", nil),
        ("FORM-DATA;NAME = a ; x=y", "a", nil), ("form-data; name=\"\"; filename=\"\"", "", ""),
        ("form-data; filename=\"a.png\"; name=\"ä\"", "ä", "a.png"),
        ("form-data; name=\"a;b=c\"; filename=\"x; y\"", "a;b=c", "x; y"),
        ("form-data; name=\"a%22%0D%0A%20\"", "a\"\r\n%20", nil),
        (#"form-data; name="a\"b"; filename="C:\x\"y\".png""#, #"a"b"#, #"C:\x"y".png"#),
        (#"form-data; name="never closed"#, "never closed", nil),
    ])
    func readsNames(_ disposition: String, _ name: String, _ fileName: String?) throws {
        let parts = try parts("--b\ncontent-disposition: \(disposition)\n\n--b--")

        #expect(parts.map(\.part) == [MultipartPart(name: name, data: Data(), fileName: fileName)])
    }

    @Test func readsHeaders() throws {
        let head =
            "CONTENT-DISPOSITION: form-data;  name=a\ncontent-type:  text/html \nX-A:\n"
            + "content-disposition: form-data; name=b\n"
        let parts = try parts("--b\n\(head)\nx\n--b--")

        #expect(parts.map(\.contentType) == ["text/html"])
        #expect(parts.first?.name == "a")
    }

    @Test(arguments: [
        ("multipart/form-data; boundary=x", "x"),
        ("Multipart/Form-Data ; charset=utf-8; Boundary=\"a b'()+_,-./:=?\"", "a b'()+_,-./:=?"),
        (
            "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW; charset=utf-8",
            "----WebKitFormBoundary7MA4YWxkTrZu0gW"
        ),
        ("multipart/form-data;boundary=a:b", "a:b"),
        ("multipart/form-data; boundary=a, multipart/form-data; boundary=x", "x"),
        ("multipart/form-data; boundary=\"a, b\"", "a, b"),
        (
            "multipart/form-data; boundary=\(String(repeating: "x", count: 70))",
            String(repeating: "x", count: 70)
        ),
    ])
    func takesTheBoundaryFromTheType(_ type: String, _ boundary: String) throws {
        let text = "--\(boundary)\n\(Self.title)x\n--\(boundary)--"

        #expect(try parts(text, type: type).map(\.data.text) == ["x"])
    }

    @Test(
        arguments: [
            (nil, .otherType), ("", .otherType), ("application/json", .otherType),
            ("multipart/mixed; boundary=b", .otherType), ("multipart/form-data", .malformed),
            ("multipart/form-data; boundary=\"\"", .malformed),
            ("multipart/form-data; boundary=c", .malformed),
        ] as [(String?, MultipartBody.Failure)])
    func refusesATypeWithoutParts(_ type: String?, _ failure: MultipartBody.Failure) {
        #expect(throws: failure) { try parts("--b\n\(Self.title)\n--b--", type: type) }
    }

    @Test(arguments: [
        "", "x", "--b", " --b\n", "--b\n", "--b\n\(title)x", "--b\n\(title)x\n--b\n",
        "--b\n\(title)x--b--", "--b\n\(title)x\n--b-", "--b\n--b--", "--b\n\nx\n--b--",
        "--b\n\(title)\n--b\nContent-Type: text/plain\n\nx\n--b--",
        "--b\nContent-Disposition: form-data\n\nx\n--b--",
        "--b\nContent-Disposition: attachment; name=a\n\nx\n--b--", "--b\nx\n--b--",
        "--b\nno colon\n\nx\n--b--", "--b\na b: c\n\nx\n--b--", "--b\n: c\n\n--b--",
    ])
    func refusesAMalformedBody(_ body: String) {
        #expect(throws: MultipartBody.Failure.malformed) { try parts(body) }
        #expect(throws: MultipartBody.Failure.malformed) { try parts(body, lines: "\n") }
    }

    /// Only the lines of the head end without CR.
    @Test func refusesALineFeedInAHeader() {
        let body = "--b\r\nContent-Disposition: form-data; name=a\nX-A: b\r\n\r\nx\r\n--b--"

        #expect(throws: MultipartBody.Failure.malformed) { try parts(body, lines: "\n") }
    }

    @Test(arguments: [nil, "a b:c"], ["a", "", "a\"b", "ä; name=\"x\"", "C:\\x"])
    func readsWhatTheBuilderWrites(_ boundary: String?, _ name: String) throws {
        let bytes = Data(0...255) + Data("\r\n--\r\n\r\n".utf8)
        let parts = [
            MultipartPart.text(name, "x\ny"),
            .file("file", fileName: name, contentType: "image/png", data: bytes),
        ]
        let request = try URLRequest.test("a", method: "POST")
            .multipartBody(parts, boundary: boundary)

        let read = try MultipartBody.parts(
            of: #require(request.httpBody),
            contentType: request.value(forHTTPHeaderField: "Content-Type"))

        #expect(read.map(\.part) == parts)
    }
}

extension RecordedPart {
    fileprivate var part: MultipartPart {
        MultipartPart(name: name, data: data, fileName: fileName, contentType: contentType)
    }
}
