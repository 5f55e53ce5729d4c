import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of README.md.
@Suite(.limited, .usesSockets) struct ReadMeSamples {
    let baseURL = URL(string: "https://api.example.com")!

    struct NewUser: Codable, Sendable {
        var name: String
        var age: Int
        var password: String
    }

    struct User: Codable, Equatable, Sendable { var name: String }

    typealias Coordinate = GettingStartedSamples.Coordinate
    typealias PointOfInterest = GettingStartedSamples.PointOfInterest

    struct PointsOfInterestRequest: APIRequest {
        var baseURL = URL(string: "https://example.com")!

        func makeRequest(from coordinate: Coordinate) throws -> URLRequest {
            try URLRequest(
                "GET", baseURL, path: "/locations",
                query: ["lat": coordinate.latitude, "long": coordinate.longitude])
        }

        func parseResponse(data: Data) throws -> [PointOfInterest] {
            try jsonDecoder.decode([PointOfInterest].self, from: data)
        }
    }

    let coordinate = Coordinate(latitude: 37.3293, longitude: -121.8893)

    @Test func asksForTheCoordinate() throws {
        let request = try PointsOfInterestRequest().makeRequest(from: coordinate)

        #expect(request.url?.query() == "lat=37.3293&long=-121.8893")
    }

    @Test func loadsPlaces() async throws {
        let network = MockNetwork()
        network.requestHandler = { request in
            #expect(request.url?.path == "/locations")
            return (HTTPURLResponse(), Data(#"[{"name": "My Location"}]"#.utf8))
        }
        let loader = APIRequestLoader(
            apiRequest: PointsOfInterestRequest(), urlSession: network)

        let places = try await loader.load(coordinate)

        #expect(places == [PointOfInterest(name: "My Location")])
    }

    @Test func loadsPlacesFromAStub() async throws {
        let network = MockNetwork()
        let loader = APIRequestLoader(
            apiRequest: PointsOfInterestRequest(), urlSession: network)

        network.stub(
            .get("/locations").query(["lat": "37.3293"]), .json(#"[{"name": "My Location"}]"#))

        let places = try await loader.load(coordinate)

        try network.verify()
        #expect(places == [PointOfInterest(name: "My Location")])
    }

    @Test func explainsAStubThatDidNotMatch() async throws {
        let network = MockNetwork()
        network.stub(.post("/users").json(#"{"name": "Emma", "age": 3}"#), .status(201))

        let failure = await #expect(throws: MockError.self) {
            let request = try URLRequest("POST", baseURL, path: "/users")
                .jsonBody(NewUser(name: "Emma", age: 4, password: "hunter2"))
            _ = try await network.exchange(request)
        }
        try expectReadMe(toShow: try #require(failure).description)
    }

    @Test func endsAnErrorInACurlCommand() async throws {
        struct NewUserRequest: APIRequest {
            typealias ResponseDataType = [User]

            func makeRequest(from user: NewUser) throws -> URLRequest {
                try URLRequest(
                    "POST", URL(string: "https://api.example.com")!, path: "/users",
                    headers: ["X-API-Key": "k3y"]
                ).jsonBody(user)
            }
        }
        let network = MockNetwork()
        network.stub(.post("/users"), .json(#"[{"name": "Emma"}, {"nmae": "Max"}]"#))
        let loader = APIRequestLoader(apiRequest: NewUserRequest(), urlSession: network)

        let error = try await #require(throws: APIRequestError.self) {
            try await loader.load(NewUser(name: "Emma", age: 4, password: "hunter2"))
        }
        try expectReadMe(toShow: error.description)
    }
}

/// Checks that README.md quotes a text, line after line; the line of a test in it may be another.
private func expectReadMe(
    toShow text: String, _ location: SourceLocation = #_sourceLocation
) throws {
    let readMe = try SampleFile("README.md").lines.joined(separator: "\n").withoutLineNumbers
    let isShown = readMe.contains("\n\(text.withoutLineNumbers)\n")
    #expect(isShown, "README.md does not show:\n\(text)", sourceLocation: location)
}

extension String {
    fileprivate var withoutLineNumbers: String {
        replacingOccurrences(of: #"\.swift:[0-9]+"#, with: ".swift", options: .regularExpression)
    }
}
