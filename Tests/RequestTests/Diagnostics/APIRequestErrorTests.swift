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
