import APIKitLite
import APIKitLiteTesting
import Foundation
import Testing

/// The samples of GettingStarted.md.
@Suite struct GettingStartedSamples {
    struct Coordinate: Sendable {
        var latitude: Double
        var longitude: Double
    }

    struct PointOfInterest: Decodable, Equatable, Sendable {
        var name: String
    }

    enum Before {
        /// Compiled only: it loads over a real network, which is what is wrong with it.
        @MainActor final class PlacesViewController {
            var tableValues: [PointOfInterest] = []

            func show(_ error: any Error) {}

            func loadData(near coordinate: Coordinate) {
                let url = URL(
                    string: "https://example.com/locations"
                        + "?lat=\(coordinate.latitude)&long=\(coordinate.longitude)")!
                URLSession.shared.dataTask(with: url) { data, response, error in
                    DispatchQueue.main.async {
                        guard let data else { return self.show(error!) }
                        do {
                            self.tableValues = try JSONDecoder().decode(
                                [PointOfInterest].self, from: data)
                        } catch {
                            self.show(error)
                        }
                    }
                }.resume()
            }
        }
    }

    enum RequestError: Error {
        case invalidCoordinate
    }

    struct PointsOfInterestRequest: APIRequest {
        var baseURL = URL(string: "https://example.com")!

        func makeRequest(from coordinate: Coordinate) throws -> URLRequest {
            guard abs(coordinate.latitude) <= 90, abs(coordinate.longitude) <= 180 else {
                throw RequestError.invalidCoordinate
            }
            return try URLRequest(
                "GET", baseURL, path: "/locations",
                query: ["lat": coordinate.latitude, "long": coordinate.longitude])
        }

        func parseResponse(data: Data) throws -> [PointOfInterest] {
            try jsonDecoder.decode([PointOfInterest].self, from: data)
        }
    }

    let request = PointsOfInterestRequest()

    @Test func asksForTheCoordinate() throws {
        let coordinate = Coordinate(latitude: 37.3293, longitude: -121.8893)

        let urlRequest = try request.makeRequest(from: coordinate)

        #expect(
            urlRequest.url?.absoluteString
                == "https://example.com/locations?lat=37.3293&long=-121.8893")
    }

    @Test func refusesACoordinateThatIsNowhere() {
        #expect(throws: RequestError.invalidCoordinate) {
            try request.makeRequest(from: Coordinate(latitude: 91, longitude: 0))
        }
    }

    @Test func parsesPlaces() throws {
        let places = try request.parseResponse(data: Data(#"[{"name": "My Location"}]"#.utf8))

        #expect(places == [PointOfInterest(name: "My Location")])
    }

    @MainActor final class PlacesModel {
        private(set) var places: [PointOfInterest] = []
        private(set) var message: String?
        private let loader: APIRequestLoader<PointsOfInterestRequest>

        init(urlSession: any HTTPSession = URLSession.shared) {
            loader = APIRequestLoader(
                apiRequest: PointsOfInterestRequest(), urlSession: urlSession)
        }

        func loadData(near coordinate: Coordinate) async {
            do {
                places = try await loader.load(coordinate)
            } catch  where error.isCancellation {
                // The screen went away: nobody wants to read about it.
            } catch {
                message = error.localizedDescription
            }
        }
    }

    @Test @MainActor func showsWhatIsNear() async throws {
        let network = MockNetwork()
        network.stub(.get("/locations"), .json(#"[{"name": "My Location"}]"#))
        let model = PlacesModel(urlSession: network.urlSession)

        await model.loadData(near: Coordinate(latitude: 37.3293, longitude: -121.8893))

        #expect(model.places == [PointOfInterest(name: "My Location")])
        #expect(network.requests.map(\.query["lat"]) == ["37.3293"])
        try network.verify()
    }

    @Test @MainActor func saysThatTheServerIsDown() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("try again later", status: 503))
        let model = PlacesModel(urlSession: network.urlSession)

        await model.loadData(near: Coordinate(latitude: 0, longitude: 0))

        #expect(model.places.isEmpty)
        #expect(model.message == "The server answered 503 (Service Unavailable).")
    }

    @Test func saysWhichPlaceIsWrong() async throws {
        let network = MockNetwork()
        network.stub(.any, .json(#"[{"name": "My Location"}, {"title": "Elsewhere"}]"#))
        let loader = APIRequestLoader(apiRequest: request, urlSession: network.urlSession)

        let error = await #expect(throws: APIRequestError.self) {
            try await loader.load(Coordinate(latitude: 37.3293, longitude: -121.8893))
        }

        try expectPage("GettingStarted.md", toShow: "\(try #require(error))")
    }

    @Test @MainActor func saysNothingOfACancellation() async throws {
        let network = MockNetwork()
        network.stub(.any, .hanging)
        let model = PlacesModel(urlSession: network.urlSession)

        let load = Task { await model.loadData(near: Coordinate(latitude: 0, longitude: 0)) }
        while network.requests.isEmpty { await Task.yield() }
        load.cancel()
        await load.value

        #expect(model.message == nil)
    }
}

/// The samples of the sections after the fourth step.
@Suite struct GettingStartedSectionSamples {
    struct User: Codable, Equatable, Sendable {
        var name: String
    }

    let baseURL = URL(string: "https://api.example.com")!

    struct Todo: Codable, Equatable {
        var title: String
        var dueAt: Date
    }

    struct AddTodoRequest: APIRequest {
        typealias ResponseDataType = Todo

        let baseURL: URL

        func makeRequest(from todo: Todo) throws -> URLRequest {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            encoder.keyEncodingStrategy = .convertToSnakeCase
            return try URLRequest("POST", baseURL, path: "/todos").jsonBody(todo, encoder: encoder)
        }

        var jsonDecoder: JSONDecoder {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return decoder
        }
    }

    struct DeleteTodoRequest: APIRequest {
        typealias ResponseDataType = Void

        let baseURL: URL

        func makeRequest(from id: Int) throws -> URLRequest {
            try URLRequest("DELETE", baseURL, path: "/todos/{id}", ["id": id])
        }
    }

    @Test func addsAndDeletes() async throws {
        let network = MockNetwork()
        let json = #"{"title": "Tea", "due_at": "2018-06-07T10:00:00Z"}"#
        network.stub(.post("/todos").json(json), .json(json, status: 201))
        network.stub(.delete("/todos/7"), .status(204))
        let add = APIRequestLoader(
            apiRequest: AddTodoRequest(baseURL: baseURL), urlSession: network.urlSession)
        let delete = APIRequestLoader(
            apiRequest: DeleteTodoRequest(baseURL: baseURL), urlSession: network.urlSession)

        let todo = Todo(title: "Tea", dueAt: Date(timeIntervalSince1970: 1_528_365_600))
        #expect(try await add.load(todo) == todo)
        try await delete.load(7)

        try network.verify()
    }

    struct UsersRequest: APIRequest {
        let baseURL: URL

        func makeRequest(from page: Int) throws -> URLRequest {
            try URLRequest("GET", baseURL, path: "/users", query: ["page": page])
        }

        func parseResponse(
            data: Data, response: HTTPURLResponse
        ) throws -> (users: [User], total: Int?) {
            let total = response.value(forHTTPHeaderField: "X-Total-Count").flatMap { Int($0) }
            return (try parseResponse(data: data).users, total)
        }

        func parseResponse(data: Data) throws -> (users: [User], total: Int?) {
            (try jsonDecoder.decode([User].self, from: data), nil)
        }
    }

    @Test func readsAHeader() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/users").query(["page": "2"]),
            .json(encoding: [User(name: "Emma")]).header("X-Total-Count", "31"))
        let loader = APIRequestLoader(
            apiRequest: UsersRequest(baseURL: baseURL), urlSession: network.urlSession)

        let page = try await loader.load(2)

        #expect(page.users == [User(name: "Emma")])
        #expect(page.total == 31)
    }

    struct Bearer: HTTPSession {
        let token: String
        let session: any HTTPSession

        func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            try await session.exchange(request.header("Authorization", "Bearer \(token)"))
        }
    }

    @Test func sendsTheToken() async throws {
        let network = MockNetwork()
        network.stub(.delete("/todos/7").header("Authorization", "Bearer abc"), .status(204))
        let loader = APIRequestLoader(
            apiRequest: DeleteTodoRequest(baseURL: baseURL),
            urlSession: Bearer(token: "abc", session: network.urlSession))

        try await loader.load(7)

        try network.verify()
    }
}
