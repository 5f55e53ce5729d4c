import APIKitLite
import TestSupport

@Suite(.limited) struct MediaTypeTests {
    /// Fetch, "extract a MIME type": the last valid value counts.
    @Test(
        arguments: [
            (nil, nil), ("", nil), (" ", nil), (",", nil), (";charset=utf-8", nil),
            ("text/event-stream, text/event-stream", "text/event-stream"),
            ("text/event-stream,text/event-stream;charset=utf-8", "text/event-stream"),
            ("text/html, TEXT/Event-Stream", "text/event-stream"),
            ("text/event-stream, text/html", "text/html"),
            ("text/event-stream, */*", "text/event-stream"),
            ("*/*;q=1, text/event-stream,", "text/event-stream"),
            (", ,\ttext/event-stream \t, ,", "text/event-stream"),
            ("text/event-stream, broken", "text/event-stream"),
            ("text/event-stream, a b/c, /x, x/, a/b/c", "text/event-stream"),
            ("text/html;x=\", a/b\", text/event-stream", "text/event-stream"),
            ("text/event-stream;x=\", a/b", "text/event-stream"),
            ("text/event-stream;x=\"\\\", text/html\"", "text/event-stream"),
            ("a/b, c/d;x=\"e/f, g/h\"; y=i/j", "c/d"),
            // Without a valid one, what was sent is shown, and is no type that is expected.
            ("*/*", "*/*"), ("JSON", "json"), ("a b/c; d", "a b/c"), ("html, text", "text"),
            ("text/event-stream ;bogus", "text/event-stream"),
        ] as [(String?, String?)])
    func takesTheLastThatIsValid(_ field: String?, _ type: String?) {
        #expect(mediaType(field) == type)
    }

    @Test(
        arguments: [
            ("multipart/form-data; boundary=a, multipart/form-data; boundary=b", "b"),
            ("multipart/form-data; boundary=a, */*", "a"),
            ("multipart/form-data; boundary=\"a, b\"", "a, b"),
            ("multipart/form-data, text/plain", nil), ("", nil), ("boundary=a", nil),
        ] as [(String, String?)])
    func takesAParameterOfTheSameValue(_ field: String, _ boundary: String?) {
        #expect(mediaTypeParameter("boundary", of: field) == boundary)
    }

    @Test func isTheTypeOfEachComparison() throws {
        func response(_ type: String) -> HTTPURLResponse {
            .typed("text/plain, \(type), \(type)")
        }
        let json = response("application/problem+json")
        var one = ServerSentEvents(orBodyOf: json)
        #expect(one.deliver([Data("1".utf8)]).elements.map(\.data) == ["1"])
        struct Lines: StreamedAPIRequest {
            func makeRequest(from: Void) -> URLRequest { .test("lines") }
            func makeParser(for response: HTTPURLResponse) -> JSONLines<Int> {
                JSONLines(mediaTypes: ["application/vendor+x-ndjson"])
            }
        }
        let lines = response("application/vendor+x-ndjson")
        #expect(try Lines().parseResponse(data: Data("1\n2".utf8), response: lines) == [1, 2])
        #expect(throws: StreamError.self) {
            try Lines().parseResponse(data: Data("1\n2".utf8), response: json)
        }
        // Hidden only if the body is read as a form.
        let form = "text/plain, application/x-www-form-urlencoded"
        let request = try URLRequest("POST", URL(string: "https://h")!)
            .body(Data("password=hunter2".utf8), contentType: form)
        #expect(!request.curlCommand().contains("hunter2"))
    }

    @Test(arguments: [
        ("a.wav", "audio/wav"), ("a.FLAC", "audio/flac"), ("my.song.v2.Mp3", "audio/mpeg"),
        ("a.mpga", "audio/mpeg"), ("a.m4a", "audio/mp4"), ("a.opus", "audio/ogg"),
        ("a.oga", "audio/ogg"), ("a.aiff", "audio/aiff"), ("a.weba", "audio/webm"),
        ("a.amr", "audio/amr"), ("a.mpeg", "video/mpeg"), ("a.mpg", "video/mpeg"),
        ("a.webm", "video/webm"), ("a.MKV", "video/matroska"), ("a.avi", "video/x-msvideo"),
        ("a.3gp", "video/3gpp"), ("a.mov", "video/quicktime"), ("a.heic", "image/heic"),
        ("a.JPEG", "image/jpeg"), ("a.jfif", "image/jpeg"), ("a.svg", "image/svg+xml"),
        ("a.ico", "image/vnd.microsoft.icon"), ("a.doc", "application/msword"),
        ("a.xls", "application/vnd.ms-excel"), ("a.rtf", "application/rtf"),
        ("a.odt", "application/vnd.oasis.opendocument.text"),
        ("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("a.pages", "application/vnd.apple.pages"), ("a.jsonl", "application/jsonl"),
        ("a.yml", "application/yaml"), ("a.vtt", "text/vtt"),
        ("archive.tar.gz", "application/gzip"), ("a.", "application/octet-stream"),
        ("a", "application/octet-stream"), ("wav", "application/octet-stream"),
        (".wav", "application/octet-stream"), ("a.wav.part", "application/octet-stream"),
        ("a.audio", "application/octet-stream"), ("a.b=c", "application/octet-stream"),
    ])
    func knowsAFileByItsExtension(_ name: String, _ type: String) {
        #expect(fileMediaType(URL(filePath: "/folder.mp4/" + name)) == type)
    }
}
