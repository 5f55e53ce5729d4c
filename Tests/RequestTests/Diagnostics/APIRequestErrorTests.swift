import Foundation
import TestSupport
import Testing

@testable import APIKitLite

@Suite(.limited) struct APIRequestErrorTests {
    private let request = try! URLRequest("GET", URL(string: "https://h/v1/users")!)

    private func response(_ status: Int, type: String? = nil) -> HTTPURLResponse {
        HTTPURLResponse(
            url: request.url!, statusCode: status, httpVersion: nil,
            headerFields: type.map { ["Content-Type": $0] })!
    }

    private struct Plain: Error { var reason = "r" }
    private struct Worded: LocalizedError { var errorDescription: String? { "Own words." } }
    private struct Lines: Error, CustomStringConvertible { let description = "one\n  two" }

    @Test func keepsWhatWasKnown() throws {
        let error = APIRequestError(
            stage: .validate, request: request, response: response(404),
            data: Data(#"{"message":"gone"}"#.utf8), underlying: Plain())

        #expect(error.statusCode == 404)
        #expect(error.request?.url == request.url)
        #expect(error.underlying is Plain)
        #expect(try error.decodeBody([String: String].self) == ["message": "gone"])
        #expect(APIRequestError(stage: .transport, underlying: Plain()).statusCode == nil)
        #expect(throws: DecodingError.self) {
            try APIRequestError(stage: .transport, underlying: Plain()).decodeBody(Int.self)
        }
    }

    @Test func knowsACancellationFromAFailure() {
        func isCancellation(_ error: any Error, _ flag: Bool = false) -> Bool {
            APIRequestError(stage: .transport, underlying: error, isCancellation: flag)
                .isCancellation
        }
        #expect(isCancellation(CancellationError()))
        #expect(isCancellation(URLError(.cancelled), true))
        #expect(!isCancellation(URLError(.cancelled)))
        #expect(!isCancellation(Plain()))
        let wrapped = APIRequestError(
            stage: .transport, underlying: URLError(.cancelled), isCancellation: true)
        #expect(wrapped.localizedDescription == "The request was cancelled.")
    }

    private static let decoding = DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "x"))
    private static let noRequest = "The request could not be created."
    private static let unreachable = URLError(
        .cannotConnectToHost,
        userInfo: [NSLocalizedDescriptionKey: "No route to https://h/"])

    @Test(
        arguments: [
            (.makeRequest, Plain(), nil, noRequest), (.makeRequest, Worded(), nil, "Own words."),
            // Only a developer understands these errors.
            (.makeRequest, RequestBuildingError("A GET request has no body."), nil, noRequest),
            (
                .makeRequest,
                EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: "x")), nil,
                noRequest
            ),
            (.transport, URLError(.timedOut), nil, "The request timed out."),
            (
                .transport, NSError(domain: NSURLErrorDomain, code: NSURLErrorTimedOut), nil,
                "The request timed out."
            ),
            (
                .transport, URLError(.notConnectedToInternet), nil,
                "The internet connection appears to be offline."
            ),
            (.transport, unreachable, nil, "The server could not be reached."),
            (.transport, URLError(.unknown), nil, "The request failed (network error -1)."),
            (
                .transport, URLError(.cancelled), nil,
                "The request was stopped before it was answered."
            ),
            (.transport, Plain(), nil, "The request failed."),
            (.transport, CancellationError(), nil, "The request was cancelled."),
            (
                .validate, UnacceptableStatusError(statusCode: 404), 404,
                "The server answered 404 (Not Found)."
            ),
            (.validate, Plain(), 503, "The server answered 503 (Service Unavailable)."),
            (.validate, Plain(), 200, "The server's answer was not accepted."),
            (.validate, Worded(), 200, "Own words."),
            (.parse, decoding, 200, "The server's answer could not be understood."),
        ] as [(APIRequestError.Stage, any Error, Int?, String)])
    func tellsAUserOneSentence(
        _ stage: APIRequestError.Stage, _ error: any Error, _ status: Int?, _ sentence: String
    ) {
        let error = APIRequestError(
            stage: stage, request: request, response: status.map { response($0) },
            underlying: error)

        #expect(error.localizedDescription == sentence)
    }

    @Test(
        arguments: [
            (
                .transport, URLError(.timedOut),
                """
                GET https://h/v1/users got no complete answer (stage .transport).
                The request timed out. (URLError -1001)
                curl 'https://h/v1/users'
                """
            ),
            (
                .transport, unreachable,
                """
                GET https://h/v1/users got no complete answer (stage .transport).
                The server could not be reached. (URLError -1004: No route to https://h/)
                curl 'https://h/v1/users'
                """
            ),
            (
                .transport, CancellationError(),
                """
                GET https://h/v1/users was cancelled (stage .transport).
                curl 'https://h/v1/users'
                """
            ),
            (
                .makeRequest, Worded(),
                """
                GET https://h/v1/users failed before it was sent (stage .makeRequest).
                Own words.
                curl 'https://h/v1/users'
                """
            ),
            (
                .transport, Lines(),
                """
                GET https://h/v1/users got no complete answer (stage .transport).
                one
                  two
                curl 'https://h/v1/users'
                """
            ),
        ] as [(APIRequestError.Stage, any Error, String)])
    func tellsADeveloperWhatHappened(
        _ stage: APIRequestError.Stage, _ error: any Error, _ text: String
    ) {
        let error = APIRequestError(stage: stage, request: request, underlying: error)

        #expect(error.description == text)
    }

    @Test func saysThatNothingWasMade() {
        #expect(
            APIRequestError(stage: .makeRequest, underlying: Worded()).description == """
                The call failed before it was sent (stage .makeRequest).
                Own words.
                """)
    }

    @Test func tellsADeveloperAboutAStatus() {
        let error = APIRequestError(
            stage: .validate, request: request,
            response: response(404, type: "application/json; charset=utf-8"),
            data: Data(#"{"message":"no such user","secret":"hunter2"}"#.utf8),
            underlying: UnacceptableStatusError(statusCode: 404))

        #expect(
            error.description == """
                GET https://h/v1/users got an answer that was not accepted (stage .validate).
                The server answered 404 (Not Found) with 45 bytes, application/json.
                A status in 200..<300 was expected.
                Body: {"message":"no such user","secret":"REDACTED"}
                curl 'https://h/v1/users'
                """)
    }

    @Test func tellsADeveloperAboutABodyItCannotShow() {
        let error = APIRequestError(
            stage: .validate, request: request, response: response(502, type: "text/html"),
            data: Data("<p>hunter2</p>".utf8), underlying: Plain())

        #expect(
            error.description.contains(
                "The server answered 502 (Bad Gateway) with 14 bytes, text/html.\n"))
        #expect(error.description.contains(#"Plain(reason: "r")"#))
        #expect(!error.description.contains("hunter2"))
    }

    @Test func hidesWhatItsRedactionHides() throws {
        struct Refusal: LocalizedError {
            var errorDescription: String? { "Refused: hunter2, hunter3" }
        }
        let request = try URLRequest(
            "POST", URL(string: "https://h")!, query: ["birthday": "hunter2", "token": "hunter3"]
        ).jsonBody(["birthday": "hunter2"])
        func error(_ redaction: Redaction, _ underlying: any Error = Refusal()) -> APIRequestError {
            APIRequestError(
                stage: .validate, request: request, response: response(400),
                data: Data(#"{"birthday":"hunter2","token":"hunter3"}"#.utf8),
                underlying: underlying, redaction: redaction)
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
        #expect(!texts(error(app, error(.standard))).contains("hunter"))
        #expect(
            !texts(APIRequestError(stage: .transport, underlying: error(app))).contains("hunter"))
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

        #expect(middle.description.components(separatedBy: "curl '").count == 2)
        #expect(outer.description.components(separatedBy: "curl '").count == 2)
        #expect(outer.description.hasSuffix("\ncurl 'https://h/v1/users'"))
    }

    @Test func doesNotRepeatALongRequestBody() throws {
        let body = Data(("[" + String(repeating: "1,", count: 5_000) + "1]").utf8)
        let request = try URLRequest("POST", URL(string: "https://h")!).body(
            body, contentType: "application/json")
        let error = APIRequestError(stage: .transport, request: request, underlying: Plain())

        #expect(error.description.hasSuffix("--data-raw '<application/json, 10,003 bytes>'"))
    }
}
