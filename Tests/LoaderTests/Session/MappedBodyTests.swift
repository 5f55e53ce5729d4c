import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Bodies whose pieces a function changes.
@Suite(.limited, .usesSockets) struct MappedBodyTests {
    private struct Refusal: Error {}

    private static func upper(_ piece: Data) -> Data { Data(piece.text.uppercased().utf8) }

    private let network = MockNetwork(clock: MockClock())

    private func all(_ body: HTTPBody) async throws -> [String] {
        var pieces: [String] = []
        for try await piece in body { pieces.append(piece.text) }
        return pieces
    }

    private func body(_ pieces: String...) -> HTTPBody {
        let rest = Locked(pieces[...])
        return HTTPBody(unfolding: { rest.withLock { $0.popFirst() }.map { Data($0.utf8) } })
    }

    @Test func aCompleteBodyStaysComplete() async throws {
        let body = HTTPBody(Data("ab".utf8)).map(Self.upper)
        #expect(body.data?.text == "AB")
        #expect(throws: Refusal.self) { try HTTPBody(Data()).map { _ in throw Refusal() } }
    }

    @Test func changesEachPieceAndDropsEmptyOnes() async throws {
        let mapped = body("a", "", "-", "b").map { $0.text == "-" ? Data() : Self.upper($0) }
        #expect(mapped.data == nil)
        #expect(try await all(mapped) == ["A", "B"])
        await #expect(throws: TransportError.bodyReadTwice) { _ = try await all(mapped) }
    }

    @Test func givesTheErrorOfTheFunctionToTheReader() async throws {
        let mapped = try body("a", "bad", "b").map { piece in
            if piece.text == "bad" { throw Refusal() }
            return piece
        }
        var pieces = mapped.makeAsyncIterator()

        #expect(try await pieces.next()?.text == "a")
        await #expect(throws: Refusal.self) { try await pieces.next() }
    }

    @Test func readsTheBodyThroughTheReturnedOneOnly() async throws {
        let body = body("a")
        let mapped = body.map(Self.upper)
        await #expect(throws: TransportError.bodyReadTwice) { _ = try await all(body) }
        #expect(try await all(mapped) == ["A"])
    }

    @Test(arguments: Transport.allCases)
    func changesStreamsAndWholeResponses(_ transport: Transport) async throws {
        let (session, baseURL) = try transport.open(network)
        network.stub(.get("/a"), .chunks(["a", "b"]), times: .any)
        let upper = session.intercepting { request, next in
            let (body, response) = try await next(request)
            return (body.map(Self.upper), response)
        }
        let request = URLRequest(url: baseURL.appending(path: "a"))

        #expect(try await upper.exchange(request).0.text == "AB")
        let (body, _) = try await upper.stream(request)
        #expect(try await all(body).joined() == "AB")
    }
}
