import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited) struct PathTemplateMatchTests {
    private func match(_ template: String, _ path: String) throws -> [String: String]? {
        try PathTemplate(template).match(PathTemplate.decodedSegments(ofPath: path)[...])
    }

    @Test func readsValues() throws {
        let rows: [(String, String, [String: String])] = [
            ("/users/{id}", "/users/42", ["id": "42"]), ("users/{id}", "/users/42", ["id": "42"]),
            ("/users/{id}", "/users/a%2Fb", ["id": "a/b"]),
            ("/users/{id}", "/users/%C3%BC%20+", ["id": "ü +"]),
            ("/files/{name}.json", "/files/a.json", ["name": "a"]),
            ("/x-{id}-y", "/x-1-y-y", ["id": "1-y"]),
            ("/v1/{a}/{b}", "/v1/1/2", ["a": "1", "b": "2"]), ("/a b/ä", "/a%20b/%c3%A4", [:]),
            ("/{x}/{x}", "/1/1", ["x": "1"]), ("/{a}/x-{a}", "/1/x-1", ["a": "1"]),
            ("", "/", [:]), ("/", "", [:]), ("", "", [:]), ("/a/", "/a/", [:]),
            ("/{id}", "/%zz%4", ["id": "%zz%4"]),
            // A value may contain the text around it.
            ("/{name}.json", "/a.json.json", ["name": "a.json"]),
            ("/{name}.json", "/.json.json", ["name": ".json"]),
            // A last name with + takes one segment or more.
            ("/files/{+path}", "/files/a", ["path": "a"]),
            ("/files/{+path}", "/files/a/b%20c/d", ["path": "a/b c/d"]),
            ("/files/{+path}", "/files/a%2Fb/", ["path": "a/b/"]),
            ("/files/{+path}", "/files//a", ["path": "/a"]),
            ("/{owner}/x-{+path}.json", "/me/x-a.b/c.json", ["owner": "me", "path": "a.b/c"]),
            ("/{a}/{+a}", "/1/1", ["a": "1"]),
        ]
        for (template, path, expected) in rows {
            #expect(try match(template, path) == expected, "\(template), \(path)")
        }
    }

    @Test func matchesNoOtherPath() throws {
        let rows: [(String, String)] = [
            ("/users/{id}", "/users/"), ("/users/{id}", "/users"), ("/users/{id}", "/users/1/2"),
            ("/users/{id}", "/Users/1"), ("/{name}.json", "/.json"), ("/{name}.json", "/a.jsonx"),
            ("/x{a}x", "/x"), ("/x{a}x", "/xx"), ("/{x}/{x}", "/1/2"), ("/{a}/x-{a}", "/1/x-2"),
            ("/a", "/a/"), ("/files/{+path}", "/files"), ("/files/{+path}", "/files/"),
            ("/x{+path}", "/a/xb"), ("/{a}/{+a}", "/1/1/1"),
            ("/", "/a"), ("/a/b", "/a%2Fb"), ("/é", "/e\u{301}"),
        ]
        for (template, path) in rows {
            #expect(try match(template, path) == nil, "\(template), \(path)")
        }
    }

    @Test func whatIsFilledInIsReadBack() throws {
        let template = "/users/{id}/x-{name}.json/{+path}"
        var random = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let (id, name, path) = (random.text(), random.text(), random.text())
            let url = try URL(
                URL(string: "https://h")!, path: template,
                ["name": name, "id": id, "path": "p\(path)"])

            #expect(
                try match(template, url.path(percentEncoded: true))
                    == ["id": id, "name": name, "path": "p\(path)"])
        }
    }
}
