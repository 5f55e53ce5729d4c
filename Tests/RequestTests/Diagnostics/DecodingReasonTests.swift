import APIKitLite
import Foundation
import TestSupport
import Testing

/// The texts for a developer whose model differs from the server.
@Suite(.limited) struct DecodingReasonTests {
    private struct User: Decodable {
        var id: Int
        var name: String
        var kind: Kind?
    }
    private enum Kind: String, Decodable { case admin }
    private struct Page: Decodable { var items: [User] }

    /// Decodes two elements of an array, as many as there are.
    private struct Pair: Decodable {
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            _ = (try list.decode(Int.self), try list.decode(Int.self))
        }
    }

    private static var snakeCase: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    private func error<T: Decodable>(
        _ type: T.Type, _ body: String, contentType: String = "application/json",
        length: Int? = nil, decoder: JSONDecoder = JSONDecoder()
    ) throws -> APIRequestError {
        let request = try URLRequest("GET", URL(string: "https://h/v1")!)
        let data = Data(body.utf8)
        var headers = ["Content-Type": contentType]
        headers["Content-Length"] = length.map(String.init)
        let underlying = try #require(throws: DecodingError.self) {
            try decoder.decode(type, from: data)
        }
        return APIRequestError(
            stage: .parse, request: request,
            response: HTTPURLResponse(
                url: request.url!, statusCode: 200, httpVersion: nil, headerFields: headers),
            data: data, underlying: underlying)
    }

    private func lines(_ error: APIRequestError) -> [String] {
        error.description.components(separatedBy: "\n")
    }

    @Test func namesAPlaceInAList() throws {
        #expect(lines(try error(Pair.self, "[1]"))[2] == "At $[1]: Unkeyed container is at end.")
    }

    @Test func tellsWhatTheDecoderSaidOfAValue() throws {
        let line = lines(try error(User.self, #"{"id":1,"name":"a","kind":"root"}"#))[2]

        #expect(line.hasPrefix("At $.kind: found a string that cannot be used. "))
        #expect(line.contains("root"))
    }

    @Test func explainsANumberThatDoesNotFit() throws {
        let error = try error([Int].self, "[1.5]")

        // On Apple platforms the error has a path and prints it.
        #expect(error.description.contains("1.5"))
        #expect(!error.description.contains("is not JSON"))
    }

    @Test func tellsWhatTheDecoderSaidBehindAConvertedKey() throws {
        struct Model: Decodable { var userId: Int }
        let error = try error(Model.self, #"{"user_id":"x"}"#, decoder: Self.snakeCase)

        // In the words of Foundation.
        #expect(lines(error)[2].hasPrefix("At $.userId: "))
        #expect(lines(error)[2].contains("string"))
    }

    /// Any part of such a text may be secret.
    @Test(arguments: [
        #"{"a": 1, "longitude": NaN, "b": 2}"#,
        #"{"token":"hunter2","a":[1,{"b":-Infinity}]}"#,
        #"{"token" "hunter2"}"#, "[{\"token\":\"hun\nter2\"}, hunter2]",
        #"{"a":[hunter2-and-other-words]}"#, "{'token': 'hunter2'}",
        "{password=hunter2, user=emma}", "[section]\npassword=hunter2", "Sorry, hunter2",
        "password=hunter2", #""hunter2"#,
    ])
    func showsNothingOfATextThatIsNotJSON(_ body: String) throws {
        let error = try error(Page.self, body, contentType: "a/b")

        #expect(!lines(error).contains { $0.hasPrefix("Body: ") })
        #expect(!error.description.contains("hunter"))
    }

    /// A body that begins as if it were compressed is text.
    @Test(
        arguments: [
            ([0x1F, 0x8B, 8, 0, 0, 0xFF], nil, "gzip"),
            ([0x28, 0xB5, 0x2F, 0xFD, 0xFF], "identity", "zstd"),
            ([0x78, 0x9C, 0xED, 0], "deflate", "zlib"), ([0x78, 0x01, 0xED, 0xFF], nil, "zlib"),
            ([0xCE, 0xB2, 0xCF, 0x81, 0xFF], "br", "br"),
            ([0xCB, 0x48, 0xCD, 0xFF], "deflate", "deflate"),
            ([0x89, 0x50, 0x4E, 0x47, 0xFF], "gzip", nil), (Array("x^2".utf8), "br", nil),
            (Array("x\u{1}".utf8), nil, nil),
        ] as [([UInt8], String?, String?)])
    func saysThatABodyIsCompressed(_ bytes: [UInt8], _ coding: String?, _ name: String?) throws {
        var headers = ["Content-Type": "application/json"]
        headers["Content-Encoding"] = coding
        let response = HTTPURLResponse(
            url: URL(string: "https://h")!, statusCode: 200, httpVersion: nil, headerFields: headers
        )
        let error = APIRequestError(
            stage: .parse, response: response, data: Data(bytes),
            underlying: DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "x")))

        let sentence = name.map { "The body is compressed with \($0), where JSON was expected." }
        #expect(lines(error)[2] == sentence ?? lines(error)[2])
        #expect(error.description.contains("compressed") == (name != nil))
    }

    // Why a text is not JSON is said in the words of Foundation.
    @Test(arguments: [#"{"items":[{"id":1"#, "Sorry", #"{"a":1}}"#])
    func saysThatATextIsNotJSON(_ body: String) throws {
        let line = lines(try error(Page.self, body, contentType: "a/b"))[2]

        #expect(line.hasPrefix("The body is not JSON: "))
    }

    @Test func showsTheLargestValueAroundThePlaceThatIsShort() throws {
        let users = (0..<50).map { #"{"id":\#($0 == 25 ? "\"ü\"" : "\($0)"),"name":"äöü🎈"}"# }
        let body = #"{"items":["# + users.joined(separator: ",\n  ") + "]}"
        let line = lines(try error(Page.self, body))[3]

        #expect(line == #"Body: …{"id":"ü","name":"äöü🎈"}…"#)
    }

    @Test(arguments: [50, 5_000])
    func findsThePlaceBesideALongSecret(_ length: Int) throws {
        let secret = String(repeating: "hunter2", count: length)
        let rest = String(repeating: "x", count: 5_000)
        let body = #"{"token":"\#(secret)","items":[{"id":"here"}],"rest":"\#(rest)"}"#
        let line = lines(try error(Page.self, body))[3]

        #expect(line == #"Body: …[{"id":"here"}]…"#)
    }

    @Test func showsAValueThatIsItselfASecretAsOne() throws {
        struct Login: Decodable { var pin: Int }
        let rest = String(repeating: "x", count: 500)
        let error = try error(
            Login.self, #"{"rest":"\#(rest)","pin":"hunter2","more":"\#(rest)"}"#)

        #expect(lines(error)[2] == "At $.pin: expected Int, found a string.")
        #expect(lines(error)[3] == #"Body: …"REDACTED"…"#)
    }

    @Test(arguments: 0..<8)
    func cutsBetweenCharacters(_ offset: Int) throws {
        let text = String(repeating: "x", count: offset) + String(repeating: "🎈", count: 200)
        let line = lines(try error(Page.self, #"{"items":"\#(text)"}"#))[3]

        #expect(line.utf8.count <= 206)
        #expect(line.hasPrefix(#"Body: …"x"#) || line.hasPrefix(#"Body: …"🎈"#))
        #expect(line.hasSuffix("🎈…"))
    }
}

/// A key or an index in the path of an error.
struct PathKey: CodingKey {
    var stringValue: String
    var intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init(intValue: Int) {
        stringValue = "Index \(intValue)"
        self.intValue = intValue
    }
}
