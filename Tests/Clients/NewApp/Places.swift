import APIKitLite
import Foundation

// As in a new app of Xcode 26: nothing is annotated, and everything is on the main actor.

struct Coordinate {
    var latitude: Double
    var longitude: Double
}

struct PointOfInterest: Decodable, Equatable {
    var name: String
}

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

final class PlacesModel {
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
            // The screen is closed: there is nothing to show.
        } catch {
            message = error.localizedDescription
        }
    }
}

// The same off the main actor, for tests that are not on it.

nonisolated struct Airport: Decodable, Equatable, Sendable {
    var name: String
}

nonisolated struct AirportRequest: APIRequest {
    func makeRequest(from code: String) throws -> URLRequest {
        try URLRequest(
            "GET", URL(string: "https://example.com")!, path: "/airports/{code}", ["code": code])
    }

    func parseResponse(data: Data) throws -> Airport {
        try jsonDecoder.decode(Airport.self, from: data)
    }
}
