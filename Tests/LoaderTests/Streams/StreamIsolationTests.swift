import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Where a request is made and its stream parsed.
@Suite(.limited) struct StreamIsolationTests {
    /// Its elements are the places where each function ran.
    private struct PlacesRequest: StreamedAPIRequest {
        func makeRequest(from: Void) throws -> URLRequest {
            .test("places/\(RunningPlace.current)")
        }

        func makeParser(for response: HTTPURLResponse) throws -> PlaceParser {
            PlaceParser(start: .current)
        }
    }

    /// A request that no other task may use.
    private final class ConfinedRequest: StreamedAPIRequest {
        func makeRequest(from: Void) throws -> URLRequest {
            try PlacesRequest().makeRequest(from: ())
        }

        func makeParser(for response: HTTPURLResponse) throws -> PlaceParser {
            PlaceParser(start: .current)
        }
    }

    private struct PlaceParser: StreamParser {
        let start: RunningPlace

        func parse(_ bytes: Data, into places: inout [RunningPlace]) {
            places += [start, .current]
        }

        func finish(into places: inout [RunningPlace]) { places.append(.current) }
    }

    private let network = MockNetwork()

    private var session: any HTTPSession {
        network.stub(.get("/places/{place}"), .text("a"), times: .any)
        return network
    }

    private var paths: [String?] { network.requests.map { $0.request.url?.lastPathComponent } }

    @MainActor @Test func parsesInTheBackground() async throws {
        var places: [RunningPlace] = []
        for try await place in session.stream(PlacesRequest()) { places.append(place) }
        for try await place in session.stream(PlacesRequest(), ()) { places.append(place) }

        #expect(places == Array(repeating: .background, count: 6))
        #expect(paths == ["background", "background"])
        #expect(RunningPlace.current == .mainActor)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @MainActor @Test func parsesOnTheActorOfARequestThatIsNotSendable() async throws {
        var places: [RunningPlace] = []
        for try await place in session.stream(ConfinedRequest()) { places.append(place) }
        for try await place in session.stream(ConfinedRequest(), ()) { places.append(place) }

        #expect(places == Array(repeating: .mainActor, count: 6))
        #expect(paths == ["mainActor", "mainActor"])
    }

    @MainActor @Test func staysOnTheActorWithoutForLoops() async throws {
        var stream = session.stream(ConfinedRequest()).makeAsyncIterator()
        var places: [RunningPlace] = []
        while let place = try await stream.next() { places.append(place) }
        #expect(places == [.mainActor, .mainActor, .mainActor])
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @MainActor @Test func parsesOnTheActorWithoutConstraints() async throws {
        func places<R: StreamedAPIRequest>(
            _ request: R, _ input: R.RequestDataType
        ) async throws -> [R.Parser.Element] {
            var places: [R.Parser.Element] = []
            for try await place in session.stream(request, input) { places.append(place) }
            return places
        }

        #expect(try await places(PlacesRequest(), ()) == [.mainActor, .mainActor, .mainActor])
    }
}
