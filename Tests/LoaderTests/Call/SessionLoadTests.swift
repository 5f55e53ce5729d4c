import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct SessionLoadTests {
    struct Ping: APIRequest {
        typealias ResponseDataType = String
        func makeRequest(from data: Void) throws -> URLRequest { .test("ping") }
        func parseResponse(data: Data) throws -> String { data.text }
    }

    let network = MockNetwork()
    let session: any HTTPSession

    init() {
        session = network
    }

    @Test func loadsAValueWithAndWithoutInput() async throws {
        network.stub(.get("/a"), .text("value").header("ETag", "1"))
        network.stub(.get("/ping"), .text("pong"))

        #expect(try await session.load(TextRequest(), "/a") == "value")
        #expect(try await network.load(TextRequest(), "/a") == "value")
        let response = try await session.response(TextRequest(), for: "/a")
        #expect(response.value == "value")
        #expect(response.data.text == "value")
        #expect(response.response.value(forHTTPHeaderField: "etag") == "1")
        #expect(try await session.load(Ping()) == "pong")
        #expect(try await session.response(Ping()).data.text == "pong")
    }

    @Test func loadsInAGenericFunction() async throws {
        func load<R: APIRequest>(
            _ request: R, _ input: R.RequestDataType
        ) async throws -> (R.ResponseDataType, R.ResponseDataType) {
            let value = try await session.load(request, input)
            return (value, try await session.response(request, for: input).value)
        }
        func loadWithoutInput<R: APIRequest>(
            _ request: R
        ) async throws -> (R.ResponseDataType, R.ResponseDataType)
        where R.RequestDataType == Void {
            (try await session.load(request), try await session.response(request, for: ()).value)
        }
        network.stub(.any, .text("value"))

        #expect(try await load(TextRequest(), "/a") == ("value", "value"))
        #expect(try await loadWithoutInput(Ping()) == ("value", "value"))
    }

    @Test func loadsAPlainRequest() async throws {
        network.stub(.get("/numbers"), .json(#"{"first_number": 1}"#))
        network.stub(.get("/missing"), .json(#"{"first_number": 2}"#, status: 404), times: .any)
        network.stub(.get("/empty"), .status(204))
        struct Numbers: Decodable {
            var firstNumber: Int
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase

        let numbers = try await session.load(.test("numbers"), as: Numbers.self, decoder: decoder)
        #expect(numbers.firstNumber == 1)
        let missing = try await session.load(
            .test("missing"), as: Numbers.self, decoder: decoder
        ) { try $1.validateStatus(404) }
        #expect(missing.firstNumber == 2)
        #expect(try await session.load(.test("empty"), as: Numbers?.self) == nil)
        let error = await #expect(throws: APIRequestError.self) {
            try await session.load(
                .test("missing"), as: Data.self, redaction: .standard.adding("first_number"))
        }
        #expect(error?.stage == .validate)
        #expect(
            error?.underlying as? UnacceptableStatusError
                == UnacceptableStatusError(statusCode: 404, accepted: [200..<300]))
        let text = try #require(error).description
        #expect(text.contains(#"{"first_number": 0}"#))
        #expect(text.hasPrefix("GET https://api.example.com/missing got an answer"))
    }
}
