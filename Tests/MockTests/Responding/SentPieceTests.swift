import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// The record of what a mock sent.
@Suite(.limited, .usesSockets) struct SentPieceTests {
    private func sent(
        _ response: MockResponse, method: String = "GET", on clock: (any Clock<Duration>)? = nil
    ) async throws -> RecordedRequest {
        let network = MockNetwork(clock: clock)
        network.stub(.any, response)
        _ = await MockURLSession(network).outcome(of: .test("a", method: method))
        return try #require(network.requests.first)
    }

    @Test(
        arguments: [
            (.text("abc"), ["abc"]), (.status(204), []), (.text(""), []), (.error(.timedOut), []),
            (.chunks(["a", "bc"]), ["a", "bc"]), (.text("abc").delayed(by: .seconds(1)), ["abc"]),
            (.text("abc").chunked(by: 2).failing(afterBytes: 3), ["ab", "c"]),
            (.text("abc").failing(afterBytes: 1), ["a"]),
            (.text("abc").failing(afterHeaderBytes: 1), []),
        ] as [(MockResponse, [String])])
    func holdsEveryPiece(_ response: MockResponse, _ pieces: [String]) async throws {
        let request = try await sent(response)

        #expect(request.sent.map(\.text) == pieces)
        #expect(request.sentPieceCount == pieces.count)
        #expect(request.sentByteCount == pieces.joined().utf8.count)
    }

    @Test func holdsNoBodyThatAHeadDoesNotGet() async throws {
        #expect(try await sent(.text("abc"), method: "HEAD").sent == [])
    }

    @Test(arguments: [false, true])
    func keepsABoundedNumberOfPieces(_ isAtOnce: Bool) async throws {
        let pieces = Array(repeating: "a", count: 10_010)

        let request = try await sent(
            .chunks(pieces, every: isAtOnce ? .zero : .nanoseconds(1)), on: ContinuousClock())

        #expect(request.sent.count == 10_000)
        #expect(request.sentPieceCount == 10_010)
        #expect(request.sentByteCount == 10_010)
    }

    @Test func keepsABoundedNumberOfBytes() async throws {
        let large = String(repeating: "a", count: 1_048_575)

        let request = try await sent(.chunks([large, "bb", "c"]))

        #expect(request.sent.map(\.data.count) == [1_048_575])
        #expect(request.sentPieceCount == 3)
        #expect(request.sentByteCount == 1_048_578)
    }
}
