import Foundation
import TestSupport
import Testing

@testable import APIKitLite

/// A developer reads each sentence here when a request does not work.
@Suite(.limited) struct BadInputTests {
    private static let base = URL(string: "https://h/v1")!

    private func text(of make: () throws -> URLRequest) throws -> String {
        let error = try #require(throws: RequestBuildingError.self) { try make() }
        #expect(error.errorDescription == error.description)
        #expect(error.localizedDescription == error.description)
        return error.description
    }

    private func expect(
        _ sentence: String, _ location: SourceLocation = #_sourceLocation,
        of make: () throws -> URLRequest
    ) throws {
        let shown = try text(of: make)
        #expect(shown == sentence, sourceLocation: location)
    }

    @Test(arguments: ["", " ", "GET ", "GE T", "GET\r\n", "G\0", "GÉT", "a/b"])
    func refusesAMethodThatIsNotOneWord(_ method: String) throws {
        #expect(
            try text { try URLRequest(method, Self.base) }
                == "\(method.debugDescription) is not an HTTP method. "
                + "Use one word, such as GET or POST.")
    }

    @Test(arguments: ["ftp", "ws", "app", "httpsx", "file"])
    func refusesAScheme(_ scheme: String) throws {
        let base = URL(string: "\(scheme)://h/v1")!

        #expect(
            try text { try URLRequest("GET", base) }
                == "The base URL \"\(scheme)://h/v1\" has the scheme \(scheme). "
                + "Use https, or http.")
    }

    @Test func refusesABaseWithoutAHost() throws {
        let rows: [String] = [
            "users", "/users", "//h/x", "https:///x", "https://", "https:x", "mailto:a@h",
            "file:///x",
            "https://:80/x", "https://u:p@/x", "https://?x",
        ]
        for base in rows {
            // On some systems Foundation makes no URL of some of these, which is as good.
            guard let url = URL(string: base) else { continue }

            #expect(
                try text { try URLRequest("GET", url, path: "x") }.hasSuffix(
                    "has no host. Start it with a scheme and a host: https://api.example.com"),
                "\(base)")
        }
    }

    private static let isQuery =
        "has a ? or #. Give query items with `query:`; a fragment is not sent."
    private static let isBrace =
        "has a brace without its partner or without a name. Write {name}."

    @Test(arguments: [
        (
            "https://a.example/users",
            "is a whole URL. Give its scheme and host as the base URL."
        ),
        ("/a?b=1", isQuery), ("/a#b", isQuery), ("/a/{id", isBrace), ("/a/id}", isBrace),
        ("/a/{}", isBrace), ("/a/{+}", isBrace), ("/a/{i{d}", isBrace), ("/a/{i/d}", isBrace),
        ("/a/{id}}", isBrace), ("/a/}{", isBrace),
        (
            "/a/{x}...{id}/b",
            "has two names in the segment {x}...{id}. Write one for its whole value."
        ),
        ("/{x}{id}", "has two names in the segment {x}{id}. Write one for its whole value."),
        (
            "/{+id}/raw", "has {+id} before another segment. Only the last one keeps its slashes."
        ),
        (
            "/{+a}/{+id}", "has {+a} before another segment. Only the last one keeps its slashes."
        ),
        ("/a/../b", "has a segment `..`. Replace it by the path that it leads to."),
        (".", "has a segment `.`. Replace it by the path that it leads to."),
    ])
    func refusesATemplate(_ template: String, _ reason: String) throws {
        #expect(
            try text { try URLRequest("GET", Self.base, path: template, ["id": 1]) }
                == "The path template \(template.debugDescription) \(reason)")
    }

    @Test func saysWhatIsWrongAndWhatToDo() throws {
        let base = Self.base
        let noValue =
            #"The path template "/users/{id}" has no value for {id}. Give one: ["id": …]."#

        try expect(
            #"The base URL "https://REDACTED@h/v1#top" has a fragment, "#
                + "which is never sent. Remove the # and what follows."
        ) { try URLRequest("GET", URL(string: "https://u:hunter2@h/v1#top")!) }
        try expect(noValue) { try URLRequest("GET", base, path: "/users/{id}") }
        // The name is misspelt.
        try expect(noValue) { try URLRequest("GET", base, path: "/users/{id}", ["user": 1]) }
        try expect(
            #"The path template "/users" has no {id}, but a value for it was given. "#
                + "Remove the value, or send it with `query:`."
        ) { try URLRequest("GET", base, path: "/users", ["id": 1]) }
        for path in ["..", "a/../b", "a/.", "./a"] {
            let dots = path.contains("..") ? ".." : "."
            let shown = try text { try URLRequest("GET", base, path: "/{+path}", ["path": path]) }
            #expect(
                shown.contains("a segment \(dots), which leads to another path")
                    || shown.contains("is \"\(dots)\", which would lead to another path"))
        }
        try expect(#"The value for "id" is given twice. Keep one."#) {
            try URLRequest("GET", base, path: "/{id}", ["id": 1, "id": 1])
        }
        try expect(#"The header "X Key" is not one word. Use letters, digits and hyphens."#) {
            try URLRequest("GET", base).header("X Key", nil)
        }
        try expect(#"The header "X-Key" has a line break at the end of its value. Remove it."#) {
            try URLRequest("GET", base).header("X-Key", ["a", "b\n"])
        }
        try expect(
            #"The multipart boundary "XYZ" occurs in the part "note". "#
                + "Leave it out or choose another."
        ) {
            try URLRequest("POST", base).multipartBody(
                [.text("note", "one\r\n--XYZ\r\ntwo")], boundary: "XYZ")
        }
    }

    @Test func refusesValuesThatAddUpToADotSegment() throws {
        #expect(
            try text { try URLRequest("GET", Self.base, path: "/.{a}", ["a": "."]) }
                .contains("would lead to another path"))
    }

    @Test(arguments: [
        ("/users/:id", "Write {id} for :id: names are in braces."),
        (":user/a", "Write {user} for :user: names are in braces."),
        ("/files/*", "Write a name in braces for *, such as {name}."),
        ("/files/**", "Write a name in braces for **, such as {+name}, which takes slashes."),
        ("/jobs/1:cancel", "Remove the value, or send it with `query:`."),
        ("/a/:/b*", "Remove the value, or send it with `query:`."),
    ])
    func namesTheNotationOfATemplate(_ template: String, _ advice: String) throws {
        #expect(
            try text { try URLRequest("GET", Self.base, path: template, ["id": 1]) }
                == "The path template \(template.debugDescription) has no {id}, but a value for it "
                + "was given. \(advice)")
    }

    @Test(arguments: ["", ".", ".."])
    func refusesAValueThatLeadsElsewhere(_ value: String) throws {
        #expect(
            try text { try URLRequest("GET", Self.base, path: "/users/{id}", ["id": value]) }
                == #"The value for "id" is "\#(value)", which would lead to another path. Give text."#
        )
    }

    private static let isList =
        "is a list, but a path takes one value. Join it, or send it with `query:`."

    @Test(
        arguments: [
            (["id": [1, 2]] as RequestItems, isList),
            (["id": nil], "is nil, but a path cannot leave it out. Unwrap it."),
            (["id": Double.nan], "is nan, which is not a number. Give a finite one."),
        ] as [(RequestItems, String)])
    func refusesAValueInAPath(_ values: RequestItems, _ reason: String) throws {
        #expect(
            try text { try URLRequest("GET", Self.base, path: "/{id}", values) }
                == "The value for \"id\" \(reason)")
    }

    @Test(
        arguments: [
            (Double.nan, "is nan, which is not a number. Give a finite one."),
            (-Float.infinity, "is -inf, which is not a number. Give a finite one."),
            (Decimal.nan, "is NaN, which is not a number. Give a finite one."),
            ([1, Double.infinity], "is inf, which is not a number. Give a finite one."),
        ] as [(any RequestValue, String)])
    func refusesAValue(_ value: any RequestValue, _ reason: String) throws {
        let expected = "The value for \"id\" \(reason)"
        let post = try URLRequest("POST", Self.base)

        #expect(try text { try URLRequest("GET", Self.base, query: ["id": value]) } == expected)
        #expect(try text { try post.query(["id": value]) } == expected)
        #expect(try text { try post.formBody(["id": value]) } == expected)
        #expect(try text { try post.header("id", value) } == expected)
    }

    @Test(arguments: ["", "A B", "A:", "A\r\n", "A\0", "Ä", "@file"])
    func refusesAHeaderName(_ name: String) throws {
        #expect(
            try text {
                try URLRequest("GET", Self.base, headers: .init(dictionaryLiteral: (name, "x")))
            }
                == "The header \(name.debugDescription) is not one word. "
                + "Use letters, digits and hyphens.")
    }

    @Test(arguments: [
        ("hunter2\r\nX: y", "a line break at position 8"), ("hunter2\n", "a line break at the end"),
        ("hunter2\r\n", "a line break at the end"), ("\rhunter2", "a line break at position 1"),
        ("hunter2\0", "U+0000 (a control character) at the end"),
        ("hunter2\u{1}a", "U+0001 (a control character) at position 8"),
        ("ä\u{1b}[0m", "U+001B (a control character) at position 2"),
        ("hunter2\u{7f}", "U+007F (a control character) at the end"),
        ("\u{b}", "U+000B (a control character) at the end"),
        ("a\u{8}\u{8}b", "U+0008 (a control character) at position 2"),
    ])
    func refusesAControlCharacterInAHeaderAndDoesNotShowTheValue(
        _ value: String, _ flaw: String
    ) throws {
        let expected = "The header \"X-Key\" has \(flaw) of its value. Remove it."
        #expect(
            try text { try URLRequest("GET", Self.base, headers: ["X-Key": value]) } == expected)
        #expect(try text { try URLRequest("GET", Self.base).header("X-Key", value) } == expected)
        #expect(
            try text { try URLRequest("GET", Self.base).header("X-Key", ["a", value]) } == expected)
        #expect(
            try text { try URLRequest("POST", Self.base).body(Data(), contentType: value) }
                == expected.replacing("X-Key", with: "Content-Type"))
    }

    /// Servers take a tab, and UTF-8 or any other byte beyond ASCII (RFC 9110, section 5.5: obs-text).
    @Test(arguments: ["a\tb", "ä", "日本語", "a\u{200b}b", "\u{85}", "\u{feff}", "", " a ", "\"\\"])
    func acceptsAnyOtherCharacterInAHeader(_ value: String) throws {
        let request = try URLRequest("GET", Self.base, headers: ["X-Key": value])
        #expect(request.value(forHTTPHeaderField: "X-Key") == value)
        #expect(try URLRequest("GET", Self.base).header("X-Key", value) == request)
    }

    @Test(arguments: [
        ("", "no character"), ("hunter2\n", "a line break at the end"),
        ("hunter2 \r\n", "U+0020 (space) at the end"),
        ("hunter2\u{200b}hunter", "U+200B (zero width space) at position 8"),
        ("\u{feff}hunter2", "U+FEFF (zero width no-break space) at position 1"),
        ("hunter\u{a0}", "U+00A0 (no-break space) at the end"),
        ("hun\u{ad}ter", "U+00AD (soft hyphen) at position 4"),
        ("Bearer hunter2", "U+0020 (space) at position 7"),
        ("\"hunter2\"", "U+0022 (quotation mark) at position 1"),
        ("hunter2,", "U+002C (comma) at the end"),
        ("hünter", "U+00FC (latin small letter u with diaeresis) at position 2"),
        ("hu\tnter", "U+0009 (a control character) at position 3"),
        ("hun\u{1d7d8}", "U+1D7D8 (mathematical double-struck digit zero) at the end"),
        ("hun%ter", "U+0025 (percent sign) at position 4"),
    ])
    func refusesABearerTokenAndNamesItsFirstFlaw(_ token: String, _ flaw: String) throws {
        #expect(
            try text { try URLRequest("GET", Self.base).authorization(bearer: token) }
                == "The bearer token has \(flaw). Give the token alone, or nil for none.")
    }

    /// RFC 6750, section 2.1, and the tokens of Laravel.
    @Test(arguments: [
        "mF_9.B5f-4.1JqM", "a~b+c/d==", "eyJh.eyJz==.c2ln=", "1|a2b4", "key:secret", "A",
    ])
    func acceptsABearerToken(_ token: String) throws {
        let request = try URLRequest("GET", Self.base).authorization(bearer: token)
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer \(token)")
    }

    @Test func refusesASecondBody() throws {
        let post = try URLRequest("POST", Self.base)
        let json = try post.jsonBody(["a": 1])
        let folder = try TemporaryFolder()
        let file = try folder.write("hello")
        var stream = post
        stream.httpBodyStream = InputStream(data: Data())
        let expected =
            "The request already has a body, but another was given. "
            + "Remove one, or set `httpBody` to nil first."

        #expect(try text { try json.formBody(["a": 1]) } == expected)
        #expect(try text { try json.multipartBody([], boundary: "XX") } == expected)
        #expect(try text { try json.jsonBody([12]) } == expected)
        #expect(try text { try json.body(Data(), contentType: "image/png") } == expected)
        #expect(try text { try json.fileBody(file) } == expected)
        #expect(try text { try post.fileBody(file).jsonBody([1]) } == expected)
        #expect(try text { try stream.jsonBody([1]) } == expected)
        var cleared = json
        cleared.httpBody = nil
        #expect(try cleared.formBody(["a": 1]).httpBody == Data("a=1".utf8))
    }

    /// Errors of building and others that quote a URL, before anything knows what an app hides.
    @Test func hidesWhatTheAppHidesInAURLThatCannotBeSent() throws {
        let redaction = Redaction.standard.adding("birthday")
        let url = URL(string: "https://h/a?birthday=hunter2&token=hunter3")!
        func error(_ build: () throws -> Void) throws -> RequestBuildingError {
            try #require(throws: RequestBuildingError.self, performing: build)
        }
        var noURL = URLRequest(url: url)
        noURL.url = nil
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

    @Test func refusesAQueryWithoutAURL() throws {
        var request = try URLRequest("GET", Self.base)
        request.url = nil

        #expect(try text { try request.query(["q": 1]) }.contains("is not a URL"))
    }

    @Test(arguments: ["GET", "HEAD", "head"])
    func refusesABodyOnGetAndHead(_ method: String) throws {
        let request = try URLRequest(method, Self.base)
        let folder = try TemporaryFolder()
        let file = try folder.write("hello")
        let expected =
            "A \(method.uppercased()) request has no body. "
            + "Use another method, such as POST, or a query."
        #expect(try text { try request.jsonBody([1]) } == expected)
        #expect(try text { try request.formBody(["a": 1]) } == expected)
        #expect(try text { try request.multipartBody([]) } == expected)
        #expect(try text { try request.body(Data(), contentType: "a/b") } == expected)
        #expect(try text { try request.fileBody(file) } == expected)
    }

    @Test(arguments: [
        (MultipartPart(name: "a\r\nb", data: Data()), "a line break at position 2 of its name"),
        (
            MultipartPart(name: "a\0", data: Data()),
            "U+0000 (a control character) at the end of its name"
        ),
        (
            MultipartPart.file("a", fileName: "x\ny", data: Data()),
            "a line break at position 2 of its file name"
        ),
        (
            MultipartPart.file("a", fileName: "x\u{1b}", data: Data()),
            "U+001B (a control character) at the end of its file name"
        ),
        (
            MultipartPart.file("a", fileName: "x", contentType: "a/b\r\nX: y", data: Data()),
            "a line break at position 4 of its type"
        ),
    ])
    func refusesAControlCharacterInAPartsHeaders(_ part: MultipartPart, _ flaw: String) throws {
        let name = part.name.debugDescription
        let expected = "The multipart part \(name) has \(flaw). Remove it."
        #expect(
            try text { try URLRequest("POST", Self.base).multipartBody([part]) } == expected)
        #expect(
            try text { try URLRequest("POST", Self.base).multipartBody([part], boundary: "XX") }
                == expected)
    }

    @Test(arguments: ["", "a\r\n", "a\"b", "ä", "a ", String(repeating: "x", count: 71)])
    func refusesABoundaryThatServersDoNotTake(_ boundary: String) throws {
        #expect(
            try text { try URLRequest("POST", Self.base).multipartBody([], boundary: boundary) }
                .hasSuffix("is not 1 to 70 letters, digits or hyphens. Shorten or replace it."))
    }
}
