import APIKitLite
import Foundation
import TestSupport

// What the article on URLProtocol (Qiita) and the notes on the talk load. `APIRequest` and
// `APIRequestLoader` are ours.

struct PointOfInterest: Decodable, Equatable {
    let name: String
}

struct PointsOfInterestRequest: APIRequest {
    enum RequestError: Error {
        case invalidCoordinate
    }

    func makeRequest(from coordinate: CLLocationCoordinate2D) throws -> URLRequest {
        guard CLLocationCoordinate2DIsValid(coordinate) else {
            throw RequestError.invalidCoordinate
        }
        var components = URLComponents(string: "https://example.com/locations")!
        components.queryItems = [
            URLQueryItem(name: "lat", value: "\(coordinate.latitude)"),
            URLQueryItem(name: "long", value: "\(coordinate.longitude)"),
        ]
        return URLRequest(url: components.url!)
    }

    func parseResponse(data: Data) throws -> [PointOfInterest] {
        return try JSONDecoder().decode([PointOfInterest].self, from: data)
    }
}
