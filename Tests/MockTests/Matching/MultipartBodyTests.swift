import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

@Suite(.limited) struct MultipartBodyTests {
    /// A part as a table can compare it.
    private struct Row: Equatable {
        var name: String
        var fileName: String?
        var contentType: String?
        var text: String
    }

    private func read(
        _ text: String, boundary: String = "b", lines: String = "\r\n"
    ) throws(MultipartBody.Failure) -> [Row] {
        let body = Data(text.replacingOccurrences(of: "\n", with: lines).utf8)
        let type = "multipart/form-data; boundary=\(boundary)"
        return try MultipartBody.parts(of: body, contentType: type)
            .map {
                Row(
                    name: $0.name, fileName: $0.fileName, contentType: $0.contentType,
                    text: String(decoding: $0.data, as: UTF8.self))
            }
    }

    private static let title = "Content-Disposition: form-data; name=\"title\"\n\n"

    @Test(arguments: [
        ("--b\n\(title)x\n--b--", ["x"]),
        ("--b\n\(title)x\n--b--\n", ["x"]),
        ("--b\n\(title)\n--b--", [""]),
        ("--b\n\(title)\n\n--b--", ["\r\n"]),
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
        ("--b\nContent-Disposition: form-data; name=a\n\n--b--", [""]),
        ("--b--\n", []),
    ])
    func cutsABodyAtItsBoundary(_ body: String, _ contents: [String]) throws {
        #expect(try read(body).map(\.text) == contents)
    }

    @Test(arguments: [
        ("form-data; name=\"a\"", "a", nil),
        ("form-data; name=a", "a", nil),
        ("FORM-DATA;NAME = a ; x=y", "a", nil),
        ("form-data; name=\"\"; filename=\"\"", "", ""),
        ("form-data; filename=\"a.png\"; name=\"ä\"", "ä", "a.png"),
        ("form-data; name=\"a;b=c\"; filename=\"x; y\"", "a;b=c", "x; y"),
        ("form-data; name=\"a%22%0D%0A%20\"", "a\"\r\n%20", nil),
        (#"form-data; name="a\"b"; filename="C:\x\"y\".png""#, #"a"b"#, #"C:\x"y".png"#),
        (#"form-data; name="never closed"#, "never closed", nil),
    ])
    func readsNames(_ disposition: String, _ name: String, _ fileName: String?) throws {
        let parts = try read("--b\ncontent-disposition: \(disposition)\n\n--b--")

        #expect(parts == [Row(name: name, fileName: fileName, text: "")])
    }

    @Test func readsHeaders() throws {
        let head =
            "CONTENT-DISPOSITION: form-data;  name=a\ncontent-type:  text/html \nX-A:\n"
            + "content-disposition: form-data; name=b\n"
        let body = Data(
            "--b\n\(head)\nx\n--b--".replacingOccurrences(of: "\n", with: "\r\n").utf8)
        let parts = try MultipartBody.parts(
            of: body, contentType: "multipart/form-data; boundary=b")

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
        let body = Data(text.replacingOccurrences(of: "\n", with: "\r\n").utf8)

        let read = try MultipartBody.parts(of: body, contentType: type)

        #expect(read.map(\.data) == [Data("x".utf8)])
    }

    @Test(
        arguments: [
            (nil, .otherType), ("", .otherType), ("application/json", .otherType),
            ("multipart/mixed; boundary=b", .otherType), ("multipart/form-data", .malformed),
            ("multipart/form-data; boundary=\"\"", .malformed),
            ("multipart/form-data; boundary=c", .malformed),
        ] as [(String?, MultipartBody.Failure)])
    func refusesATypeWithoutParts(_ type: String?, _ failure: MultipartBody.Failure) {
        let body = Data("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n--b--".utf8)

        #expect(throws: failure) { try MultipartBody.parts(of: body, contentType: type) }
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
        #expect(throws: MultipartBody.Failure.malformed) { try read(body) }
        #expect(throws: MultipartBody.Failure.malformed) { try read(body, lines: "\n") }
    }

    /// Only the lines of the head end without CR.
    @Test func refusesALineFeedInAHeader() {
        let body = Data(
            "--b\r\nContent-Disposition: form-data; name=a\nX-A: b\r\n\r\nx\r\n--b--".utf8)

        #expect(throws: MultipartBody.Failure.malformed) {
            try MultipartBody.parts(of: body, contentType: "multipart/form-data; boundary=b")
        }
    }

    @Test(arguments: [nil, "a b:c"], ["a", "", "a\"b", "ä; name=\"x\"", "C:\\x"])
    func readsWhatTheBuilderWrites(_ boundary: String?, _ name: String) throws {
        var bytes = Data((0...255).map { UInt8($0) })
        bytes += Data("\r\n--\r\n\r\n".utf8)
        let parts = [
            MultipartPart.text(name, "x\ny"),
            .file("file", fileName: name, contentType: "image/png", data: bytes),
        ]
        let request = try URLRequest(url: URL(string: "https://h")!).with(method: "POST")
            .multipartBody(parts, boundary: boundary)

        let read = try MultipartBody.parts(
            of: #require(request.httpBody),
            contentType: request.value(forHTTPHeaderField: "Content-Type"))

        #expect(
            parts
                == read.map {
                    MultipartPart(
                        name: $0.name, data: $0.data, fileName: $0.fileName,
                        contentType: $0.contentType)
                })
    }
}

extension URLRequest {
    fileprivate func with(method: String) -> URLRequest {
        var request = self
        request.httpMethod = method
        return request
    }
}
