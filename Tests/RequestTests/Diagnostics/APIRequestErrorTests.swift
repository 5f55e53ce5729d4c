import TestSupport

@testable import APIKitLite

@Suite(.limited) struct APIRequestErrorTests {
    private let request = try! URLRequest("GET", URL(string: "https://h/v1/users")!)

    @Test func keepsWhatWasKnown() throws {
        let error = APIRequestError(
            stage: .validate, request: request, response: .status(404),
            data: Data(#"{"message":"gone"}"#.utf8), underlying: TestError())

        #expect(error.statusCode == 404)
        #expect(error.request?.url == request.url)
        #expect(error.underlying is TestError)
        #expect(try error.decodeBody([String: String].self) == ["message": "gone"])
        let other = APIRequestError(stage: .transport, underlying: TestError())
        #expect(other.statusCode == nil)
        #expect(throws: DecodingError.self) { try other.decodeBody(Int.self) }
    }

    @Test func findsTheLoadThatItWaitedFor() {
        struct Wrapper: Error { var inner: (any Error)? }
        final class Failure: Error {
            let load: APIRequestError
            init(_ load: APIRequestError) { self.load = load }
        }
        enum SignIn: Error {
            case failed(APIRequestError)
            case twice(Int, any Error)
            case no
        }
        let load = APIRequestError(
            stage: .validate, response: .status(503, headers: ["Retry-After": "7"]),
            data: Data("busy".utf8), underlying: TestError(number: 1))
        let named = NSError(domain: "app", code: 1, userInfo: [NSUnderlyingErrorKey: load])
        let found: [any Error] = [
            load, Wrapper(inner: load), Wrapper(inner: Wrapper(inner: load)), SignIn.failed(load),
            SignIn.twice(1, load), Failure(load), named, Wrapper(inner: named),
            Wrapper(inner: SignIn.failed(load)),
        ]
        for thrown in found {
            let error = APIRequestError(stage: .transport, underlying: thrown)
            #expect(error.cause?.statusCode == 503, "\(thrown)")
            #expect(error.cause?.retryAfter == .seconds(7))
            #expect(error.cause?.data == load.data)
            #expect(error.statusCode == nil && error.retryAfter == nil)
            // An app's own error stays the original one.
            #expect(error.underlying is TestError == thrown is APIRequestError, "\(thrown)")
        }
        let others: [any Error] = [
            TestError(), URLError(.timedOut), Wrapper(inner: nil), Wrapper(inner: TestError()),
            SignIn.no, NSError(domain: "app", code: 1),
        ]
        for thrown in others {
            #expect(APIRequestError(stage: .transport, underlying: thrown).cause == nil)
        }
    }

    @Test func looksForALoadInTheBeginningOfACollection() {
        struct Byte: CustomReflectable {
            let visits: Locked<Int>

            var customMirror: Mirror {
                visits.withLock { $0 += 1 }
                return Mirror(self, children: [])
            }
        }
        struct Thrown: Error { let body: [Byte], errors: [any Error] }
        let visits = Locked(0)
        let body = Array(repeating: Byte(visits: visits), count: 10_000)
        func cause(_ errors: [any Error]) -> APIRequestError? {
            let thrown = Thrown(body: body, errors: errors)
            return APIRequestError(stage: .transport, underlying: thrown).cause
        }

        #expect(cause([]) == nil)
        #expect(visits.withLock { $0 } <= 100)
        let load = APIRequestError(
            stage: .validate, response: .status(503), underlying: TestError())
        #expect(cause([TestError(), load])?.statusCode == 503)
    }

    @Test func knowsACancellationFromAFailure() {
        for (error, flag, expected): (any Error, Bool, Bool) in [
            (CancellationError(), false, true), (URLError(.cancelled), true, true),
            (URLError(.cancelled), false, false), (TestError(), false, false),
        ] {
            let load = APIRequestError(stage: .transport, underlying: error, isCancellation: flag)
            #expect(load.isCancellation == expected, "\(error)")
        }
    }

    @Test func hidesWhatItsRedactionHides() throws {
        let refusal = Refusal(description: "Refused: hunter2, hunter3")
        let request = try URLRequest(
            "POST", URL(string: "https://h")!, query: ["birthday": "hunter2", "token": "hunter3"]
        ).jsonBody(["birthday": "hunter2"])
        func error(_ redaction: Redaction, _ underlying: (any Error)? = nil) -> APIRequestError {
            APIRequestError(
                stage: .validate, request: request, response: .status(400),
                data: Data(#"{"birthday":"hunter2","token":"hunter3"}"#.utf8),
                underlying: underlying ?? refusal, redaction: redaction)
        }
        func texts(_ error: APIRequestError) -> String {
            error.description + error.localizedDescription
        }

        #expect(texts(error(.standard)).contains("hunter2"))
        #expect(!texts(error(.standard)).contains("hunter3"))
        let app = Redaction.standard.adding("birthday")
        #expect(error(app).redaction == app)
        #expect(!texts(error(app)).contains("hunter"))
        // The inner error hides the same as the outer error, and the outer error still hides all.
        let outer = APIRequestError(stage: .transport, underlying: error(app))
        for error in [error(app, error(.standard)), outer] {
            #expect(!texts(error).contains("hunter"))
        }
        #expect(texts(error(.none)).contains("Refused: hunter2, hunter3"))
        #expect(
            error(.none).description.contains(#"Body: {"birthday":"hunter2","token":"hunter3"}"#))
    }

    @Test func doesNotShowTheValueThatWasNotEncoded() throws {
        struct Login: Encodable { var password = "hunter2", weight = Double.nan }
        let encoding = try #require(throws: EncodingError.self) {
            try JSONEncoder().encode(["login": Login()])
        }
        let error = APIRequestError(stage: .makeRequest, underlying: encoding)

        #expect(error.description.contains("At $.login.weight: "))
        #expect(!error.description.contains("hunter2"))
    }

    @Test func writesOneCurlCommandHoweverOftenWrapped() {
        let inner = APIRequestError(
            stage: .transport, request: request, underlying: URLError(.timedOut))
        let middle = APIRequestError(stage: .makeRequest, underlying: inner)
        let outer = APIRequestError(stage: .transport, request: request, underlying: middle)

        for error in [middle, outer] {
            #expect(error.description.components(separatedBy: "curl '").count == 2)
        }
        #expect(outer.description.hasSuffix("\ncurl 'https://h/v1/users'"))
    }

    @Test func doesNotRepeatALongRequestBody() throws {
        let body = Data(("[" + String(repeating: "1,", count: 5_000) + "1]").utf8)
        let request = try URLRequest("POST", URL(string: "https://h")!).body(
            body, contentType: "application/json")
        let error = APIRequestError(stage: .transport, request: request, underlying: TestError())

        #expect(error.description.hasSuffix("--data-raw '<application/json, 10,003 bytes>'"))
    }

    @Test func anEventHidesWhatALogHides() {
        let refusal = Failure(description: "sent birthday=hunter2")
        let request = URLRequest.plain("https://h?birthday=hunter2")
        let own = APIRequestError(
            stage: .validate, request: request, underlying: refusal,
            redaction: .standard.adding("birthday"))
        let other = APIRequestError(stage: .validate, request: request, underlying: refusal)

        for event in [
            ExchangeEvent(.started, id: 1, request),
            ExchangeEvent(
                .received(bytes: 0), id: 1, request, response: .status(200), after: .zero),
            ExchangeEvent(.failed(refusal), id: 1, request, after: .zero),
            ExchangeEvent(rejected: other, id: 1),
        ] {
            #expect(event.description.contains("hunter2"))
            #expect(event.description == event.description(redacting: .standard))
            let line = event.description(redacting: .standard.adding("birthday"))
            #expect(line.contains("birthday=REDACTED") && !line.contains("hunter2"))
        }
        // The text of an error hides its own secrets, even if the log shows them.
        for redaction in [Redaction.standard, .none] {
            let line = ExchangeEvent(rejected: own, id: 1).description(redacting: redaction)
            #expect(!line.contains("hunter2"))
        }
    }
}
