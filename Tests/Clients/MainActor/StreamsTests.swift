import APIKitLite
import APIKitLiteTesting
import TestSupport

// Streams in a module whose default isolation is the main actor.

/// Its conformance and the conformance of its parser belong to the main actor.
struct UnannotatedStreamRequest: StreamedAPIRequest {
    func makeRequest(from data: Void) throws -> URLRequest { .test("places") }

    func makeParser(for response: HTTPURLResponse) -> UnannotatedParser { UnannotatedParser() }
}

struct UnannotatedParser: StreamParser {
    func parse(_ bytes: Data, into places: inout [RunningPlace]) { places.append(.current) }

    func finish(into places: inout [RunningPlace]) { places.append(.current) }
}

nonisolated struct NonisolatedStreamRequest: StreamedAPIRequest {
    func makeRequest(from data: Void) throws -> URLRequest { .test("places") }

    func makeParser(for response: HTTPURLResponse) -> NonisolatedParser { NonisolatedParser() }
}

nonisolated struct NonisolatedParser: StreamParser {
    func parse(_ bytes: Data, into places: inout [RunningPlace]) { places.append(.current) }

    func finish(into places: inout [RunningPlace]) { places.append(.current) }
}

@Suite(.limited) struct StreamsTests {
    // Its body comes in pieces, unlike that of a fixed session.
    let session = MockNetwork()

    init() { session.stub(.get("/places"), .text("a")) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func parsesOnTheMainActor() async throws {
        var places: [RunningPlace] = []
        for try await place in session.stream(UnannotatedStreamRequest()) { places.append(place) }

        #expect(places == [.mainActor, .mainActor])
    }

    @Test func parsesInTheBackground() async throws {
        var places: [RunningPlace] = []
        for try await place in session.stream(NonisolatedStreamRequest()) { places.append(place) }

        #expect(places == [.background, .background])
    }
}
