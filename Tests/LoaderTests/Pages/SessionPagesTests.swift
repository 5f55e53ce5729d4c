import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct SessionPagesTests {
    let network = MockNetwork()
    let session: any HTTPSession

    init() {
        session = network
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
        let pages = Pages(from: 1) { page in
            try Task.checkCancellation()
            return (RunningPlace.current, page < 2 ? page + 1 : nil)
        }.makeAsyncIterator()

        #expect(try await pages.next()?.value == .mainActor)
        #expect(try await pages.next()?.value == .mainActor)
    }

    /// A list that is scrolled may ask twice before the page has arrived.
    @Test @MainActor func callsThatOverlapLoadOnePageAfterAnother() async throws {
        let held = network.stub(.get("/numbers/1"), MockResponse.json("[1]").held, times: .once)
        let pages = session.pages(NumbersRequest(), from: 1).makeAsyncIterator()

        let calls = (1...3).map { _ in Task { try await pages.next()?.input } }
        await held.waitForRequests()
        #expect(network.requests.count == 1)
        held.release()
        var inputs: [Int?] = []
        for call in calls { inputs.append(try await call.value) }
        #expect(inputs == [1, 2, 3])
        #expect(network.requests.map(\.path) == ["/numbers/1", "/numbers/2", "/numbers/3"])
    }

    /// A call that is cancelled while another one loads neither loads nor skips a page.
    @Test @MainActor func aCancelledCallLeavesThePageToTheNextOne() async throws {
        let held = network.stub(.get("/numbers/1"), MockResponse.json("[1]").held, times: .once)
        let pages = session.pages(NumbersRequest(), from: 1).makeAsyncIterator()

        let first = Task { try await pages.next()?.input }
        await held.waitForRequests()
        let cancelled = Task { try await pages.next()?.input }
        cancelled.cancel()
        let error = await #expect(throws: APIRequestError.self) { try await cancelled.value }
        #expect(error?.isCancellation == true)
        held.release()

        #expect(try await first.value == 1)
        #expect(try await pages.next()?.input == 2)
        #expect(network.requests.count == 2)
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
