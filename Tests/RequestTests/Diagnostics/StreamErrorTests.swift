import APIKitLite
import TestSupport

@Suite(.limited) struct StreamErrorTests {
    private struct Item: Decodable { var id: Int }

    private func undecoded(_ text: String, _ redaction: Redaction = .standard) throws
        -> APIRequestError
    {
        var lines = JSONLines([Item].self)
        let error = try #require(lines.deliver([Data(text.utf8)]).error as? DecodingError)
        return APIRequestError(stage: .parse, underlying: error, redaction: redaction)
    }

    @Test func hidesTheElementAndTheEventFromReflection() throws {
        let undecoded = try undecoded(#"[{"id":"x","token":"hunter2"}]"#).underlying
        let event = StreamError.event(
            ServerSentEvent(event: "error", data: #"{"api_key":"hunter2"}"#))

        for text in [
            "\(undecoded)", String(reflecting: undecoded),
            String(reflecting: Mirror(reflecting: event).children.map(\.value)),
        ] { #expect(!text.contains("hunter2")) }
    }

    @Test func saysWhyAnElementIsNotJSON() throws {
        for (text, reason, shown) in [
            (#"[{"id":1,"token":"hunter2"#, "The element is not JSON: ", "<25 bytes>"),
            ("Sorry", "The element is not JSON: ", "Sorry"),
            ("[1.5]", "At $[0]: expected an object, found a number.", "[1.5]"),
        ] {
            let description = try undecoded(text).description
            #expect(description.contains("\n\(reason)"))
            #expect("\(description)\n".contains("\nElement: \(shown)\n"))
        }
        let long = String(repeating: "x", count: 100_000)
        #expect(try undecoded("[\"\(long)\"]").description.utf8.count < 600)
    }

    @Test func keepsTheErrorThatAnElementThrows() throws {
        struct Picky: Decodable {
            init(from decoder: any Decoder) throws { throw TestError(number: 7) }
        }

        var lines = JSONLines(Picky.self)
        #expect(throws: TestError(number: 7)) { try lines.parse(Data("1\n".utf8)) }
    }

    private struct Headline: Decodable, Equatable { var title: String }

    @Test func anEventDecodesItself() throws {
        let event = ServerSentEvent(event: "add", data: #"{"title":"A"}"#, id: "7")
        let title: Headline = try event.decode()
        #expect(title == Headline(title: "A"))
        #expect(try event.decode(Data.self) == Data(event.data.utf8))
        #expect(try ServerSentEvent(data: "").decode(Headline?.self) == nil)
        // The caller decides what an event of the type `error` contains.
        let error = ServerSentEvent(event: "error", data: #"{"title":"busy"}"#)
        #expect(try error.decode(Headline.self).title == "busy")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Camel: Decodable { var itemId: Int }
        let item = ServerSentEvent(data: #"{"item_id":1}"#)
        #expect(try item.decode(Camel.self, using: decoder).itemId == 1)
    }

    @Test func anEventThatCannotBeDecodedSaysWhere() throws {
        let rows: [(ServerSentEvent, Redaction, [String])] = [
            (
                ServerSentEvent(event: "add", data: #"{"title":7,"token":"hunter2"}"#, id: "42"),
                .standard,
                [
                    "The data could not be parsed (stage .parse).",
                    "At $.title: expected String, found a number.",
                    #"Element: {"title":7,"token":"REDACTED"}"#,
                    #"The event has the type "add" and the ID "42"."#,
                ]
            ),
            (
                ServerSentEvent(data: #"{"birthday":"May 1"}"#), .standard.adding("birthday"),
                [
                    "The data could not be parsed (stage .parse).",
                    #"At $: the key "title" is missing. The keys there: "birthday"."#,
                    #"Element: {"birthday":"REDACTED"}"#, #"The event has the type "message"."#,
                ]
            ),
        ]
        for (event, redaction, lines) in rows {
            let error = #expect(throws: APIRequestError.self) {
                try event.decode(Headline.self, redaction: redaction)
            }
            #expect(error?.description.split(separator: "\n").map(String.init) == lines)
            #expect(error?.stage == .parse)
            #expect(error?.data == Data(event.data.utf8))
            #expect(error?.underlying is DecodingError)
        }
    }

    @Test func hidesTheSecretsOfTheRequest() throws {
        let redaction = Redaction.standard.adding("birthday")
        let element = try undecoded(#"[{"id":"x","birthday":"May 1"}]"#, redaction)
        let event = StreamError.event(
            ServerSentEvent(event: "error", data: #"{"birthday":{"day":"May 1"}}"#))

        #expect("\(event)".contains("May 1"))
        let load = APIRequestError(stage: .parse, underlying: event, redaction: redaction)
        for error in [element, load] { #expect(!error.description.contains("May 1")) }
    }
}
