import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A 200 whose body is no event stream, from its headers to the error.
@Suite(.limited) struct NoEventStreamTests {
    private struct Problem: Decodable, Equatable {
        struct Details: Decodable, Equatable { var code: Int }
        var error: Details
    }

    private static let problem = #"{"jsonrpc":"2.0","id":1,"error":{"code":-32600}}"#

    private let network = MockNetwork()

    private func answer(_ pieces: [String]) -> MockResponse {
        .chunks(pieces, contentType: "")
    }

    @Test func failsAndHasTheBodyAndIsNotSentAgain() async throws {
        for pieces in [[Self.problem], Self.problem.map { "\($0)" }] {
            network.stub(.any, answer(pieces), .status(204))
            let session = network
            let events = await session.events(.test("a"), clock: ImmediateClock()).outcome()
            network.stub(.any, answer(pieces), .status(204))
            let stream = await session.stream(
                .test("a"), ServerSentEvents().until(data: "[DONE]").json(Problem.self)
            ).outcome()

            for error in [try #require(events.error), try #require(stream.error)] {
                #expect(error.stage == .parse)
                #expect(
                    error.underlying as? StreamError
                        == .unexpectedContentType(found: "JSON", expected: ["text/event-stream"]))
                #expect(try error.decodeBody(Problem.self).error.code == -32600)
                #expect(error.description.contains("The answer is JSON; text/event-stream was"))
                #expect(error.description.contains("\nBody: \(Self.problem)\n"))
            }
        }
        #expect(network.requests.count == 4)
    }

    @Test func keepsNoBodyOfAStreamThatHasBegun() async throws {
        network.stub(.any, answer(["data: a\n\n", "event: error\ndata: b\n\n"]))

        let error =
            await network
            .stream(.test("a"), ServerSentEvents().json(Data.self)).outcome().error
        #expect(error?.stage == .parse)
        #expect(error?.data == nil)
    }

    @Test func keepsTheBeginningOfALongBody() async throws {
        let line = String(repeating: "x", count: 60_000) + "\n"
        network.stub(.any, answer([line, line, line, line]))

        let error = await network.events(.test("a")).outcome().error

        // It came as one piece.
        #expect((error?.data?.count).map { $0 >= 65_536 } == true)
    }

    @Test func takesTheJSONAsTheOneValue() async throws {
        struct ToolRequest: StreamedAPIRequest {
            func makeRequest(from: Void) -> URLRequest { .test("tools", method: "POST") }
            func makeParser(for response: HTTPURLResponse) -> some StreamParser<ServerSentEvent> {
                ServerSentEvents(orBodyOf: response).until(data: "[DONE]")
            }
        }
        network.stub(.any, answer([Self.problem]))

        let (events, error) = await network.stream(ToolRequest()).outcome()
        #expect(events == [ServerSentEvent(data: Self.problem)])
        #expect(error == nil)
    }

    @Test(arguments: ["", "\n\n", ": keep-alive\n\n", "foo: bar\n: a\n\n", "id: 7\n\n", "da"])
    func connectsAgainAfterAnEventStreamOfAnyForm(_ body: String) async throws {
        network.stub(.any, answer([body]), answer(["data: a\n\n"]), .status(204))

        let (events, error) = await network.events(.test("a"), clock: ImmediateClock()).outcome()
        #expect(events.map(\.data) == ["a"])
        #expect(error == nil)
        #expect(network.requests.count == 3)
    }
}
