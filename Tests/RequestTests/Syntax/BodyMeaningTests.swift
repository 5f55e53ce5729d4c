import APIKitLite
import TestSupport

@Suite(.limited) struct BodyMeaningTests {
    private struct User: Codable, Equatable { var name: String }
    private struct Picture: Codable, Equatable { var bytes: Data }

    private struct Request<Output: Decodable>: APIRequest {
        typealias ResponseDataType = Output
        func makeRequest(from: Void) -> URLRequest { .test("a") }
    }

    private struct VoidRequest: APIRequest {
        typealias ResponseDataType = Void
        func makeRequest(from: Void) -> URLRequest { .test("a") }
    }

    private static let blanks = ["", " ", "\n", "\r\n", " \t\r\n \n", "\u{feff}", "\u{feff}\n"]
    private let emma = Data(#"{"name":"Emma"}"#.utf8)

    @Test func sendsDataAsItIs() throws {
        let post = try URLRequest("POST", URL(string: "https://h")!)
        let optional: Data? = emma
        let any: any Encodable = emma
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .deferredToData

        for request in try [
            post.jsonBody(emma), post.jsonBody(emma, encoder: encoder), post.jsonBody(optional),
            post.jsonBody(any), post.jsonBody(emma.dropFirst(0)),
        ] {
            #expect(request.httpBody == emma)
            #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        }
        #expect(try post.jsonBody(Data?.none).httpBody == nil)
        // Inside another value, and as text, it is Base64.
        let bytes = Data([1, 2])
        for (request, text) in try [
            (post.jsonBody(Picture(bytes: bytes)), #"{"bytes":"AQI="}"#),
            (post.jsonBody([bytes]), #"["AQI="]"#),
            (post.jsonBody(bytes.base64EncodedString()), #""AQI=""#),
        ] { #expect(request.httpBody == Data(text.utf8)) }
    }

    @Test func returnsDataAsItIs() throws {
        let error = APIRequestError(
            stage: .validate, data: emma, underlying: UnacceptableStatusError(statusCode: 400))

        #expect(try error.decodeBody(Data.self) == emma)
        #expect(try error.decodeBody(Data?.self) == emma)
        #expect(try error.decodeBody(User.self) == User(name: "Emma"))
        #expect(try Request<Data>().parseResponse(data: emma) == emma)
        #expect(try Request<Data?>().parseResponse(data: emma) == emma)
        let picture = Data(#"{"bytes":"AQI="}"#.utf8)
        #expect(try Request<Picture>().parseResponse(data: picture).bytes == Data([1, 2]))
        let missing = APIRequestError(stage: .transport, underlying: URLError(.timedOut))
        #expect(throws: DecodingError.self) { try missing.decodeBody(Data.self) }
        #expect(throws: DecodingError.self) { try missing.decodeBody(User?.self) }
    }

    @Test func returnsTheDataOfAnElement() {
        let lines = "\u{feff}{\"a\":1}\r\n\n [2] \nthree"
        let texts = ["{\"a\":1}", " [2] ", "three"]
        #expect(JSONLines(Data.self).map(\.text).delivers(texts, of: lines))
        let events = ServerSentEvents().json(Data.self).map(\.text)
        #expect(events.delivers(["{\"a\":\n1}"], of: "data: {\"a\":\ndata: 1}\n\n"))
        let users = [nil, User(name: "Emma")]
        let optional = JSONLines(User?.self)
        #expect(optional.delivers(users, of: "null\n{\"name\":\"Emma\"}"))
    }

    @Test(arguments: blanks)
    func aBodyOfWhiteSpaceIsEmpty(_ text: String) throws {
        let body = Data(text.utf8)
        let error = APIRequestError(
            stage: .validate, data: body, underlying: UnacceptableStatusError(statusCode: 400))

        #expect(try Request<User?>().parseResponse(data: body) == .none)
        #expect(try Request<[User]?>().parseResponse(data: body) == .none)
        #expect(try Request<Data?>().parseResponse(data: body) == .none)
        #expect(try error.decodeBody(User?.self) == .none)
        try VoidRequest().parseResponse(data: body)
        // The bytes are the bytes.
        #expect(try Request<Data>().parseResponse(data: body) == body)
        let event = Data("id: 1\ndata: \(text.filter { !$0.isNewline })\n\n".utf8)
        var events = ServerSentEvents().json(User.self)
        #expect(events.deliver([event]).elements.isEmpty)
        var lines = JSONLines(User.self)
        #expect(lines.deliver([body + Data("\n".utf8) + body]).error == nil)
    }

    @Test(arguments: blanks)
    func anErrorCallsABodyOfWhiteSpaceEmpty(_ text: String) throws {
        let body = Data(text.utf8)
        let failure = try #require(throws: DecodingError.self) {
            try Request<User>().parseResponse(data: body)
        }
        let error = APIRequestError(
            stage: .parse,
            response: .status(200, headers: ["Content-Length": "\(body.count)"]), data: body,
            underlying: failure)

        #expect(error.description.contains("The body is empty, where JSON was expected."))
        #expect(error.description.contains("The server responded with 200 (OK) and an empty body."))
        #expect(!error.description.contains("byte"))
    }

    /// Occurrences do not overlap, and the last may end with the data.
    @Test(
        arguments: [
            ("xab", "ab", [1]), ("abxab", "ab", [0, 3]), ("aaaa", "aa", [0, 2]),
            ("aaa", "aa", [0]), ("a", "ab", []), ("", "a", []),
        ] as [(String, String, [Int])])
    func findsBytes(_ text: String, _ pattern: String, _ places: [Int]) {
        #expect(Data(text.utf8).places(of: Data(pattern.utf8)) == places)
        let slice = Data("--\(text)".utf8).dropFirst(2)
        #expect(slice.places(of: Data(pattern.utf8)) == places.map { $0 + 2 })
    }

    /// White space in the sense of Swift or Unicode, which no JSON has around it.
    @Test(arguments: [
        "\u{a0}", "\u{b}", "\u{c}", "\0", "\u{2028}", "{", "null x", ".", " \u{feff}",
    ])
    func anyOtherBodyIsNotEmpty(_ text: String) {
        #expect(throws: DecodingError.self) {
            try Request<User?>().parseResponse(data: Data(text.utf8))
        }
    }
}
