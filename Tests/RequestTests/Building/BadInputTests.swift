import APIKitLite
import Foundation
import Testing

/// Every sentence here is one that somebody reads with a request that does not work.
@Suite(.timeLimit(.minutes(5))) struct BadInputTests {
    private static let base = URL(string: "https://h/v1")!

    private func text(of make: () throws -> URLRequest) throws -> String {
        let error = try #require(throws: RequestBuildingError.self) { try make() }
        #expect(error.errorDescription == error.description)
        #expect(error.localizedDescription == error.description)
        return error.description
    }

    @Test(arguments: ["", " ", "GET ", "GE T", "GET\r\n", "G\0", "GÉT", "a/b"])
    func refusesAMethodThatIsNotOneWord(_ method: String) throws {
        #expect(
            try text { try URLRequest(method, Self.base) }
                == "\(method.debugDescription) is not an HTTP method. "
                + "Use one word, such as GET or POST.")
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

    @Test func refusesABaseWithAFragment() throws {
        let base = URL(string: "https://u:hunter2@h/v1#top")!

        #expect(
            try text { try URLRequest("GET", base) }
                == #"The base URL "https://REDACTED@h/v1#top" has a fragment, "#
                + "which is never sent. Remove the # and what follows.")
    }

    @Test(arguments: [
        ("/a?b=1", "has a ? or #. Give query items with `query:`; a fragment is not sent."),
        ("/a#b", "has a ? or #. Give query items with `query:`; a fragment is not sent."),
        ("/a/{id", "has a brace without its partner or without a name. Write {name}."),
        ("/a/id}", "has a brace without its partner or without a name. Write {name}."),
        ("/a/{}", "has a brace without its partner or without a name. Write {name}."),
        ("/a/{i{d}", "has a brace without its partner or without a name. Write {name}."),
        ("/a/{i/d}", "has a brace without its partner or without a name. Write {name}."),
        ("/a/../b", "has a segment .., which leads elsewhere. Write it out."),
        (".", "has a segment ., which leads elsewhere. Write it out."),
    ])
    func refusesATemplate(_ template: String, _ reason: String) throws {
        #expect(
            try text { try URLRequest("GET", Self.base, path: template, ["id": 1]) }
                == "The path template \(template.debugDescription) \(reason)")
    }

    @Test func refusesValuesThatAddUpToADotSegment() throws {
        #expect(
            try text { try URLRequest("GET", Self.base, path: "/.{a}", ["a": "."]) }
                .contains("would lead to another path"))
    }

    @Test func namesAMissingValue() throws {
        #expect(
            try text { try URLRequest("GET", Self.base, path: "/users/{id}") }
                == #"The path template "/users/{id}" has no value for {id}. Give one: ["id": …]."#)
    }

    @Test func namesAnUnusedValue() throws {
        #expect(
            try text { try URLRequest("GET", Self.base, path: "/users", ["id": 1]) }
                == #"The path template "/users" has no {id}, but a value for it was given. "#
                + "Remove the value, or send it with `query:`.")
    }

    @Test func namesTheMissingValueWhereANameIsMisspelt() throws {
        #expect(
            try text { try URLRequest("GET", Self.base, path: "/users/{id}", ["user": 1]) }
                == #"The path template "/users/{id}" has no value for {id}. Give one: ["id": …]."#)
    }

    @Test func refusesANameGivenTwice() throws {
        #expect(
            try text { try URLRequest("GET", Self.base, path: "/{id}", ["id": 1, "id": 1]) }
                == #"The value for "id" is given twice. Keep one."#)
    }

    @Test(arguments: ["", ".", ".."])
    func refusesAValueThatLeadsElsewhere(_ value: String) throws {
        #expect(
            try text { try URLRequest("GET", Self.base, path: "/users/{id}", ["id": value]) }
                == #"The value for "id" is "\#(value)", which would lead to another path. Give text."#
        )
    }

    @Test func refusesListsAndNumbersThatAreNotFinite() throws {
        let list = #"The value for "id" is a list. Repeat the name, once for each element."#
        #expect(
            try text { try URLRequest("GET", Self.base, path: "/{id}", ["id": [1, 2]]) } == list)
        #expect(try text { try URLRequest("GET", Self.base, query: ["id": Set([1])]) } == list)
        #expect(try text { try URLRequest("GET", Self.base, query: ["id": ["a": 1]]) } == list)
        #expect(try text { try URLRequest("POST", Self.base).formBody(["id": [1]]) } == list)

        let ending = ", which is not a number. Give a finite one."
        #expect(
            try text { try URLRequest("GET", Self.base, query: ["x": Double.nan]) }.hasSuffix(
                ending))
        #expect(
            try text { try URLRequest("GET", Self.base, query: ["x": -Float.infinity]) }.hasSuffix(
                ending))
        #expect(
            try text { try URLRequest("GET", Self.base, path: "{x}", ["x": Decimal.nan]) }
                .hasSuffix(ending))
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

    @Test(arguments: ["hunter2\r\nX: y", "hunter2\n", "\rhunter2", "hunter2\0"])
    func refusesALineBreakInAHeaderAndDoesNotShowTheValue(_ value: String) throws {
        let expected = #"The header "X-Key" has a line break or NUL in its value. Remove it."#
        #expect(
            try text { try URLRequest("GET", Self.base, headers: ["X-Key": value]) } == expected)
        #expect(try text { try URLRequest("GET", Self.base).header("X-Key", value) } == expected)
    }

    @Test(arguments: ["GET", "HEAD", "head"])
    func refusesABodyOnGetAndHead(_ method: String) throws {
        let request = try URLRequest(method, Self.base)
        let expected =
            "A \(method.uppercased()) request has no body. "
            + "Use another method, such as POST, or a query."
        #expect(try text { try request.jsonBody([1]) } == expected)
        #expect(try text { try request.formBody(["a": 1]) } == expected)
        #expect(try text { try request.multipartBody([]) } == expected)
        #expect(try text { try request.body(Data(), contentType: "a/b") } == expected)
    }

    @Test(arguments: [
        MultipartPart(name: "a\r\nb", data: Data()), MultipartPart(name: "a\0", data: Data()),
        MultipartPart.file("a", fileName: "x\ny", data: Data()),
        MultipartPart.file("a", fileName: "x", contentType: "a/b\r\nX: y", data: Data()),
    ])
    func refusesALineBreakInAPartsHeaders(_ part: MultipartPart) throws {
        #expect(
            try text { try URLRequest("POST", Self.base).multipartBody([part]) }
                == "The multipart part \(part.name.debugDescription) has a line break or NUL "
                + "in its name, file name or type. Remove it.")
    }

    @Test func refusesABoundaryThatOccursInAPart() throws {
        let part = MultipartPart.text("note", "one\r\n--XYZ\r\ntwo")
        #expect(
            try text { try URLRequest("POST", Self.base).multipartBody([part], boundary: "XYZ") }
                == #"The multipart boundary "XYZ" occurs in the part "note". "#
                + "Leave it out or choose another.")
    }

    @Test(arguments: ["", "a\r\n", "a\"b", "ä", "a ", String(repeating: "x", count: 71)])
    func refusesABoundaryThatServersDoNotTake(_ boundary: String) throws {
        #expect(
            try text { try URLRequest("POST", Self.base).multipartBody([], boundary: boundary) }
                .hasSuffix("is not 1 to 70 letters, digits or hyphens. Shorten or replace it."))
    }
}
