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

    @Test @MainActor func parsesInTheBackground() async throws {
        var places: [RunningPlace] = []
        for try await place in session.pages(PlacesRequest(), from: 1).elements {
            places.append(place)
        }
        for try await page in session.pages(PlacesRequest(), from: 1) { places += page.value }

        #expect(places == [.background, .background])
    }

    @Test @MainActor func aFunctionRunsOnTheActorOfItsReader() async throws {
        var pages = Pages(from: 1) { page in
            try Task.checkCancellation()
            return (RunningPlace.current, page < 2 ? page + 1 : nil)
        }.makeAsyncIterator()

        #expect(try await pages.next()?.value == .mainActor)
        #expect(try await pages.next()?.value == .mainActor)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test @MainActor func parsesOnTheActorWithoutConstraints() async throws {
        func places<R: PagedAPIRequest>(
            _ request: R, from first: R.RequestDataType
        ) async throws -> [RunningPlace] where R.ResponseDataType == [RunningPlace] {
            var places: [RunningPlace] = []
            for try await place in session.pages(request, from: first).elements {
                places.append(place)
            }
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
