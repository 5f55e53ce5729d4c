import APIKitLite
import TestSupport
import Testing

@Suite(.limited) struct PathTemplateTests {
    @Test func readsValues() throws {
        let rows: [(String, String, [String: String])] = [
            ("/users/{id}", "/users/42", ["id": "42"]),
            ("users/{id}", "/users/42", ["id": "42"]),
            ("/users/{id}", "/users/a%2Fb", ["id": "a/b"]),
            ("/users/{id}", "/users/%C3%BC%20+", ["id": "ü +"]),
            ("/files/{name}.json", "/files/a.json", ["name": "a"]),
            ("/files/{name}.{type}", "/files/a.tar.gz", ["name": "a", "type": "tar.gz"]),
            ("/{a}-{b}", "/1-2-3", ["a": "1", "b": "2-3"]),
            ("/v1/{a}/{b}", "/v1/1/2", ["a": "1", "b": "2"]),
            ("/a b/ä", "/a%20b/%c3%A4", [:]),
            ("/{x}/{x}", "/1/1", ["x": "1"]),
            ("/{a}-{a}", "/1-1", ["a": "1"]), ("/{a}-{b}/{a}", "/1-2-3/1", ["a": "1", "b": "2-3"]),
            ("", "/", [:]), ("/", "", [:]), ("", "", [:]), ("/a/", "/a/", [:]),
            ("/{id}", "/%zz%4", ["id": "%zz%4"]),
            // A value may contain the literal that follows it.
            ("/{name}.json", "/a.json.json", ["name": "a.json"]),
            ("/{name}.json", "/.json.json", ["name": ".json"]),
            ("/{a}-{b}/{b}", "/1-2-3/3", ["a": "1-2", "b": "3"]),
            ("/{a}-{a}", "/1-1-1-1", ["a": "1-1"]),
            // A name with + takes one segment or more.
            ("/files/{+path}", "/files/a", ["path": "a"]),
            ("/files/{+path}", "/files/a/b%20c/d", ["path": "a/b c/d"]),
            ("/files/{+path}", "/files/a%2Fb/", ["path": "a/b/"]),
            ("/files/{+path}", "/files//a", ["path": "/a"]),
            ("/{+path}/raw", "/a/b/raw", ["path": "a/b"]),
            ("/{+path}/raw", "/raw/raw/raw", ["path": "raw/raw"]),
            ("/x-{+path}.{type}", "/x-a.b/c.json", ["path": "a.b/c", "type": "json"]),
            (
                "/{owner}/{+path}/at/{ref}", "/me/a/at/b/at/1",
                ["owner": "me", "path": "a/at/b", "ref": "1"]
            ),
            ("/{+a}/{b}/{+a}", "/1/2/9/1/2", ["a": "1/2", "b": "9"]),
        ]
        for (template, path, expected) in rows {
            #expect(
                try PathTemplate(template).match(percentEncodedPath: path) == expected,
                "\(template), \(path)")
        }
    }

    @Test func matchesNoOtherPath() throws {
        let rows: [(String, String)] = [
            ("/users/{id}", "/users/"), ("/users/{id}", "/users"), ("/users/{id}", "/users/1/2"),
            ("/users/{id}", "/Users/1"), ("/{name}.json", "/.json"), ("/{name}.json", "/a.jsonx"),
            ("/{a}-{b}", "/-2"), ("/{a}-{b}", "/1-"), ("/{x}/{x}", "/1/2"),
            ("/{a}-{a}", "/1-2"), ("/{a}-{b}/{a}", "/1-2/3"), ("/a", "/a/"),
            ("/files/{+path}", "/files"), ("/files/{+path}", "/files/"),
            ("/{+path}/raw", "/raw"), ("/{+path}/raw", "/a/b"), ("/x{+path}", "/a/xb"),
            ("/", "/a"), ("/a/b", "/a%2Fb"), ("/é", "/e\u{301}"),
        ]
        for (template, path) in rows {
            #expect(
                try PathTemplate(template).match(percentEncodedPath: path) == nil,
                "\(template), \(path)")
        }
    }

    @Test(arguments: [
        ("/hello%20world", "/hello%20world", [:]), ("/a%2fb/{id}", "/a%2Fb/7", ["id": "7"]),
        ("/{a}%3A{b}", "/x:y", ["a": "x", "b": "y"]), ("/%7Bid%7D", "/%7Bid%7D", [:]),
        ("/100%25", "/100%25", [:]),
    ])
    func readsATemplateThatWasEscaped(
        _ template: String, _ path: String, _ expected: [String: String]
    ) throws {
        let template = try PathTemplate(template)

        #expect(template.match(percentEncodedPath: path) == nil)
        #expect(template.unescaped?.match(percentEncodedPath: path) == expected)
    }

    @Test(arguments: ["/hello world", "/{id}", "/100%", "/%zz"])
    func hasNothingToUnescape(_ template: String) throws {
        #expect(try PathTemplate(template).unescaped == nil)
    }

    @Test func namesAreListedOnceAndInOrder() throws {
        #expect(try PathTemplate("/{b}/{a}-{b}/{+c}").names == ["b", "a", "c"])
    }

    @Test func needsTextBetweenTwoNames() throws {
        let error = #expect(throws: RequestBuildingError.self) { try PathTemplate("/a/{x}{y}") }

        #expect(
            "\(error!)" == """
                The path template "/a/{x}{y}" has two names without text between them. \
                Write {a}-{b} for {a}{b}.
                """)
    }

    @Test func whatIsFilledInIsReadBack() throws {
        var random = SeededGenerator(seed: 1)
        let template = try PathTemplate("/users/{id}/x-{name}.json")
        for _ in 0..<500 {
            let id = random.text()
            let name = random.text()
            let path = try template.expand(["name": name, "id": id])

            #expect(template.match(percentEncodedPath: path) == ["id": id, "name": name])
        }
    }

    @Test func whatKeepsItsSlashesIsReadBack() throws {
        var random = SeededGenerator(seed: 2)
        let template = try PathTemplate("/files/{+path}/raw")
        for _ in 0..<500 {
            let text = (0..<3).map { _ in random.text() }.joined(separator: "/")
                .replacing(".", with: "-")
            let path = try template.expand(["path": text])

            #expect(template.match(percentEncodedPath: path) == ["path": text])
        }
    }
}
