import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct SessionPagesTests {
    let network = MockNetwork()
    let session: any HTTPSession

    init() {
        session = MockURLSession(network)
        network.stub(.get("/numbers/{page}")) { request in
            request.pathValues["page"] == "3" ? .json("[]") : .json("[1, 2]")
        }
    }

    @Test func loadsPages() async throws {
        var inputs: [Int] = []
        for try await page in session.pages(NumbersRequest(), from: 1) { inputs.append(page.input) }

        #expect(inputs == [1, 2, 3])
    }

    @Test func loadsElements() async throws {
        var numbers: [Int] = []
        for try await number in session.elements(NumbersRequest(), from: 1) {
            numbers.append(number)
        }

        #expect(numbers == [1, 2, 1, 2])
    }

    @Test func stopsAtTheLimit() async throws {
        var count = 0
        for try await _ in session.pages(NumbersRequest(), from: 1, limit: 1) { count += 1 }
        for try await _ in session.elements(NumbersRequest(), from: 1, limit: 1) { count += 1 }

        #expect(count == 3)
    }

    @Test @MainActor func parsesInTheBackground() async throws {
        var places: [RunningPlace] = []
        for try await place in session.elements(PlacesRequest(), from: 1) { places.append(place) }
        for try await page in session.pages(PlacesRequest(), from: 1) { places += page.value }

        #expect(places == [.background, .background])
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test @MainActor func parsesOnTheActorWithoutConstraints() async throws {
        func places<R: PagedAPIRequest>(
            _ request: R, from first: R.RequestDataType
        ) async throws -> [RunningPlace] where R.ResponseDataType == [RunningPlace] {
            var places: [RunningPlace] = []
            for try await place in session.elements(request, from: first) { places.append(place) }
            for try await page in session.pages(request, from: first) { places += page.value }
            return places
        }

        #expect(try await places(PlacesRequest(), from: 1) == [.mainActor, .mainActor])
    }
}

/// One page, which holds where it was parsed.
private struct PlacesRequest: PagedAPIRequest {
    func makeRequest(from page: Int) throws -> URLRequest { .test("numbers/\(page)") }

    func parseResponse(data: Data) throws -> [RunningPlace] { [.current] }

    func nextInput(after places: [RunningPlace], response: HTTPURLResponse, from page: Int) -> Int?
    {
        nil
    }
}
