import APIKitLite
import APIKitLiteTesting
import Foundation
import PointsOfInterest
import Testing

@Suite struct SearchRequestTests {
    let baseURL = URL(string: "https://example.com/v1")!

    @Test(
        arguments: [
            (nil, "https://example.com/v1/search?q=war%20%26%20peace&limit=2"),
            ("2", "https://example.com/v1/search?q=war%20%26%20peace&limit=2&cursor=2"),
        ] as [(String?, String)])
    func asksForAPage(_ cursor: String?, _ url: String) throws {
        let request = SearchRequest(baseURL: baseURL, text: "war & peace", limit: 2)

        #expect(try request.makeRequest(from: cursor).url?.absoluteString == url)
    }

    @Test(
        arguments: [
            (#"{"places": [], "next": "2"}"#, "2"), (#"{"places": []}"#, nil),
            (#"{"places": [], "next": null}"#, nil),
        ] as [(String, String?)])
    func readsTheCursorOfTheNextPage(_ json: String, _ next: String?) throws {
        let request = SearchRequest(baseURL: baseURL, text: "a")

        let page = try request.parseResponse(data: Data(json.utf8))

        #expect(request.nextInput(after: page, response: .status(200), from: nil) == next)
    }

    @Test func loadsEachPageOnce() async throws {
        let network = MockNetwork()
        network.stub(.get("/v1/search"), page(["A", "B"], next: "2"), then: .fail)
        network.stub(.get("/v1/search").query(["cursor": "2"]), page(["C"], next: nil))
        let client = PlacesClient(baseURL: baseURL, session: network)

        var names: [String] = []
        for try await place in client.search("a", pageSize: 2) { names.append(place.name) }

        #expect(names == ["A", "B", "C"])
        #expect(network.requests.map { $0.query["cursor"] } == [nil, "2"])
        try network.verify()
    }

    @Test func loadsNoFurtherThanTheLoopGoes() async throws {
        let network = MockNetwork()
        network.stub(.get("/v1/search"), page(["A", "B"], next: "2"))
        let client = PlacesClient(baseURL: baseURL, session: network)

        for try await place in client.search("a") where place.name == "B" { break }

        #expect(network.requests.count == 1)
    }

    private func page(_ names: [String], next: String?) -> MockResponse {
        let places = names.map {
            PointOfInterest(name: $0, kind: "city", country: "XX", latitude: 0, longitude: 0)
        }
        return .json(encoding: SearchPage(places: places, next: next))
    }
}
