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
        ] {
            #expect(!text.contains("hunter2"))
        }
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
