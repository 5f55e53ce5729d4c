import APIKitLite
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct MultipartMessageTests {
    private func request(_ parts: [MultipartPart]) throws -> URLRequest {
        try URLRequest("POST", URL(string: "https://h")!, path: "/a")
            .multipartBody(parts, boundary: "cut")
    }

    @Test func showsEachPart() throws {
        let request = try request([
            .text("title", "Émma\nx"),
            .file("avatar", fileName: "a.png", contentType: "image/png", data: Data([0xff, 0xd8])),
            MultipartPart(
                name: "meta", data: Data(#"{"b":1,"a":2}"#.utf8), contentType: "application/json"),
            .file("notes", fileName: "n.txt", contentType: "text/plain", data: Data("x".utf8)),
        ])

        #expect(
            request.httpMessage == """
                POST /a HTTP/1.1
                Host: h
                Content-Type: multipart/form-data; boundary=cut

                --cut
                Content-Disposition: form-data; name="title"

                Émma
                x
                --cut
                Content-Disposition: form-data; name="avatar"; filename="a.png"
                Content-Type: image/png

                <image/png, 2 bytes>
                --cut
                Content-Disposition: form-data; name="meta"
                Content-Type: application/json

                {
                  "a": 2,
                  "b": 1
                }
                --cut
                Content-Disposition: form-data; name="notes"; filename="n.txt"
                Content-Type: text/plain

                <text/plain, 1 byte>
                --cut--
                """)
    }

    @Test(arguments: [
        MultipartPart.text("password", "hunter2"), .text("user[code]", "hunter2"),
        MultipartPart(
            name: "meta", data: Data(#"{"password":"hunter2"}"#.utf8),
            contentType: "application/json"),
        .text("meta", #"{"password":"hunter2"}"#),
        .file("secret", fileName: "a.json", data: Data(#"["hunter2"]"#.utf8)),
        .file("notes", fileName: "a.txt", contentType: "text/plain", data: Data("hunter2".utf8)),
        MultipartPart(name: "a", data: Data("hunter2".utf8), contentType: "application/x"),
    ])
    func hidesSecrets(_ part: MultipartPart) throws {
        let request = try request([part])

        #expect(!request.httpMessage.contains("hunter2"))
        #expect(request.httpMessage(redacting: .none).contains("hunter2"))
    }

    @Test func hidesAPartThatAnAddedNameNames() throws {
        let request = try request([.text("phone", "hunter2")])

        #expect(request.httpMessage.contains("hunter2"))
        #expect(
            request.httpMessage(redacting: .standard.adding("phone"))
                .hasSuffix("name=\"phone\"\n\nREDACTED\n--cut--"))
    }

    @Test func showsTheSizeOfAMalformedBody() throws {
        var request = try request([.text("a", "x")])
        request.httpBody?.removeLast(6)

        #expect(request.httpMessage.contains("\n\n<multipart/form-data, "))
    }
}
