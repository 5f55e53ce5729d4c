import TestSupport

@testable import APIKitLite

/// A developer reads a sentence when a request does not work. `Wordings.txt` has each of them.
@Suite(.limited) struct BadInputTests {
    private static let base = URL(string: "https://h/v1")!

    /// The one text with which each of these requests is refused.
    private static func refusal(
        _ makers: (() throws -> URLRequest)..., location: SourceLocation = #_sourceLocation
    ) -> String {
        let texts = makers.map { make in
            let error = #expect(
                throws: RequestBuildingError.self, sourceLocation: location, performing: make)
            #expect(
                error?.localizedDescription == "The request could not be created.",
                sourceLocation: location)
            return error?.description ?? ""
        }
        #expect(Set(texts).count == 1, sourceLocation: location)
        return texts[0]
    }

    /// What is refused because of its address.
    private static var addresses: [Wordings] {
        let templates = [
            "https://a.example/users", "/a?b=1", "/a#b", "/a/{id", "/a/id}", "/a/{}", "/a/{+}",
            "/a/{i{d}", "/a/{i/d}", "/a/{id}}", "/a/}{", "/a/{x}...{id}/b", "/{x}{id}",
            "/{+id}/raw", "/{+a}/{+id}", "/a/../b", ".",
            // In another notation, a name has no braces.
            "/users", "/users/:id", ":user/a", "/files/*", "/files/**", "/jobs/1:cancel", "/a/:/b*",
        ]
        let values: [RequestItems] = [
            ["id": ""], ["id": "."], ["id": ".."], ["id": [1, 2]], ["id": nil],
            ["id": Double.nan], ["id": 1, "id": 1],
        ]
        let dots: [(String, RequestItems)] = [
            ("/{+path}", ["path": ".."]), ("/{+path}", ["path": "a/../b"]),
            ("/{+path}", ["path": "a/."]), ("/{+path}", ["path": "./a"]), ("/.{a}", ["a": "."]),
        ]
        return [
            Wordings(
                "A method that is not one word",
                ["", " ", "GET ", "GE T", "GET\r\n", "G\0", "GÉT", "a/b"].map { method in
                    refusal { try URLRequest(method, base) }
                }),
            Wordings(
                "A base URL",
                [
                    "ftp://h/v1", "ws://h/v1", "app://h/v1", "httpsx://h/v1", "file://h/v1",
                    "https:///x", "https://u:hunter2@h/v1#top",
                ].map { text in refusal { try URLRequest("GET", URL(string: text)!) } }),
            Wordings(
                "A path template",
                templates.map { template in
                    refusal { try URLRequest("GET", base, path: template, ["id": 1]) }
                } + [
                    refusal(
                        { try URLRequest("GET", base, path: "/users/{id}") },
                        { try URLRequest("GET", base, path: "/users/{id}", ["user": 1]) })
                ]),
            Wordings(
                "A value in a path",
                values.map { values in
                    refusal { try URLRequest("GET", base, path: "/users/{id}", values) }
                }
                    + dots.map { path, values in
                        refusal { try URLRequest("GET", base, path: path, values) }
                    }),
            Wordings(
                "A query without a URL",
                refusal {
                    var request = try URLRequest("GET", base)
                    request.url = nil
                    return try request.query(["q": 1])
                }),
        ]
    }

    /// What is refused in a query, a header or a form.
    private static func items() throws -> [Wordings] {
        let (get, post) = (try URLRequest("GET", base), try URLRequest("POST", base))
        let numbers: [any RequestValue] = [
            Double.nan, -Float.infinity, Decimal.nan, [1, Double.infinity],
        ]
        let headers = [
            "hunter2\r\nX: y", "hunter2\n", "hunter2\r\n", "\rhunter2", "hunter2\0",
            "hunter2\u{1}a", "ä\u{1b}[0m", "hunter2\u{7f}", "\u{b}", "a\u{8}\u{8}b",
        ]
        let tokens = [
            "", "hunter2\n", "hunter2 \r\n", "hunter2\u{200b}hunter", "\u{feff}hunter2",
            "hunter\u{a0}", "hun\u{ad}ter", "Bearer hunter2", "\"hunter2\"", "hunter2,", "hünter",
            "hu\tnter", "hun\u{1d7d8}", "hun%ter",
        ]
        return [
            Wordings(
                "A number",
                numbers.map { value in
                    refusal(
                        { try URLRequest("GET", base, query: ["id": value]) },
                        { try post.query(["id": value]) }, { try post.formBody(["id": value]) },
                        { try post.header("id", value) })
                }),
            Wordings(
                "The name of a header",
                ["", "A B", "A:", "A\r\n", "A\0", "Ä", "@file"].map { name in
                    refusal(
                        {
                            try URLRequest(
                                "GET", base, headers: .init(dictionaryLiteral: (name, "x")))
                        }, { try get.header(name, nil) })
                }),
            Wordings(
                "The value of a header",
                headers.map { value in
                    refusal(
                        { try URLRequest("GET", base, headers: ["Content-Type": value]) },
                        { try get.header("Content-Type", value) },
                        { try get.header("Content-Type", ["a", value]) },
                        { try post.body(Data(), contentType: value) })
                }),
            Wordings(
                "A credential",
                tokens.map { token in refusal { try get.authorization(bearer: token) } }
                    + [refusal { try get.authorization(user: "em:ma", password: "x") }]),
        ]
    }

    private static func bodies() throws -> [Wordings] {
        let post = try URLRequest("POST", base)
        let json = try post.jsonBody(["a": 1])
        let folder = try TemporaryFolder()
        let file = try folder.write("hello")
        var stream = post
        stream.httpBodyStream = InputStream(data: Data())
        func part(_ name: String, _ type: String = "a/b") -> MultipartPart {
            .file("a", fileName: name, contentType: type, data: Data())
        }
        let parts = [
            MultipartPart(name: "a\r\nb", data: Data()), MultipartPart(name: "a\0", data: Data()),
            part("x\ny"), part("x\u{1b}"), part("x", "a/b\r\nX: y"),
        ]
        let boundaries = ["", "a\r\n", "a\"b", "ä", "a ", String(repeating: "x", count: 71)]
        return [
            Wordings(
                "A body of another request",
                try ["GET", "HEAD", "head"].map { method in
                    let request = try URLRequest(method, base)
                    return refusal(
                        { try request.jsonBody([1]) }, { try request.formBody(["a": 1]) },
                        { try request.multipartBody([]) },
                        { try request.body(Data(), contentType: "a/b") },
                        { try request.fileBody(file) })
                } + [
                    refusal(
                        { try json.formBody(["a": 1]) },
                        { try json.multipartBody([], boundary: "XX") }, { try json.jsonBody([12]) },
                        { try json.body(Data(), contentType: "image/png") },
                        { try json.fileBody(file) }, { try post.fileBody(file).jsonBody([1]) },
                        { try stream.jsonBody([1]) })
                ]),
            Wordings(
                "A part of a form",
                parts.map { part in
                    refusal(
                        { try post.multipartBody([part]) },
                        { try post.multipartBody([part], boundary: "XX") })
                }),
            Wordings(
                "A boundary",
                boundaries.map { boundary in
                    refusal { try post.multipartBody([], boundary: boundary) }
                } + [
                    refusal {
                        try post.multipartBody(
                            [.text("note", "one\r\n--XYZ\r\ntwo")], boundary: "XYZ")
                    }
                ]),
        ]
    }

    static func wordings() throws -> [Wordings] { try addresses + items() + bodies() }

    // On some systems Foundation makes no URL of some of these, which is as good.
    @Test func refusesABaseWithoutAHost() throws {
        let end = "has no host. Start it with a scheme and a host: https://api.example.com"
        for base in [
            "users", "/users", "//h/x", "https:///x", "https://", "https:x", "mailto:a@h",
            "file:///x", "https://:80/x", "https://u:p@/x", "https://?x",
        ].compactMap({ URL(string: $0) }) {
            let text = Self.refusal { try URLRequest("GET", base, path: "x") }
            #expect(text.hasSuffix(end), "\(base)")
        }
    }

    /// Servers take a tab, and UTF-8 or any other byte beyond ASCII (RFC 9110, section 5.5: obs-text).
    @Test(arguments: ["a\tb", "ä", "日本語", "a\u{200b}b", "\u{85}", "\u{feff}", "", " a ", "\"\\"])
    func acceptsAnyOtherCharacterInAHeader(_ value: String) throws {
        let request = try URLRequest("GET", Self.base, headers: ["X-Key": value])
        #expect(request.value(forHTTPHeaderField: "X-Key") == value)
        #expect(try URLRequest("GET", Self.base).header("X-Key", value) == request)
    }

    /// RFC 6750, section 2.1, and the tokens of Laravel.
    @Test(arguments: [
        "mF_9.B5f-4.1JqM", "a~b+c/d==", "eyJh.eyJz==.c2ln=", "1|a2b4", "key:secret", "A",
    ])
    func acceptsABearerToken(_ token: String) throws {
        let request = try URLRequest("GET", Self.base).authorization(bearer: token)
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer \(token)")
    }

    @Test func takesABodyInPlaceOfOneThatWasRemoved() throws {
        var request = try URLRequest("POST", Self.base).jsonBody(["a": 1])
        request.httpBody = nil

        #expect(try request.formBody(["a": 1]).httpBody == Data("a=1".utf8))
    }

    @Test func hidesWhatTheAppHidesInAURLThatCannotBeSent() throws {
        let redaction = Redaction.standard.adding("birthday")
        let url = URL(string: "https://h/a?birthday=hunter2&token=hunter3")!
        func error(_ build: () throws -> Void) throws -> RequestBuildingError {
            try #require(throws: RequestBuildingError.self, performing: build)
        }
        let errors: [any Error] = [
            try error { _ = try URL(#require(URL(string: "\(url)#top"))) },
            try error {
                _ = try URL(#require(URL(string: "ftp://h/?birthday=hunter2&token=hunter3")))
            },
            try error { _ = try keptURL("https://h/[a?birthday=hunter2&token=hunter3") },
            try error { _ = try URL(Self.base, path: "/a{id}?birthday=hunter2&token=hunter3") },
            FileBodyError.notAFile(url),
        ]
        for error in errors {
            let load = APIRequestError(stage: .makeRequest, underlying: error, redaction: redaction)
            #expect(!load.description.contains("hunter"), "\(load)")
            #expect(load.description.contains("REDACTED"), "\(load)")
            if error is RequestBuildingError {
                #expect("\(error)".contains("hunter2") && !"\(error)".contains("hunter3"))
            }
        }
    }
}
