import APIKitLite
import Foundation
import TestSupport
import XCTest

// The talk's request and its pure tests, as the article on URLProtocol (Qiita) and the notes on the
// talk have them.

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

class PointOfInterestRequestTests: XCTestCase {
    let request = PointsOfInterestRequest()

    func testMakingURLRequest() throws {
        let coordinate = CLLocationCoordinate2D(latitude: 37.3293, longitude: -121.8893)
        let urlRequest = try request.makeRequest(from: coordinate)
        XCTAssertEqual(urlRequest.url?.scheme, "https")
        XCTAssertEqual(urlRequest.url?.host, "example.com")
        XCTAssertEqual(urlRequest.url?.query, "lat=37.3293&long=-121.8893")
    }

    func testParsingResponse() throws {
        let jsonData = "[{\"name\":\"My Location\"}]".data(using: .utf8)!
        let response = try request.parseResponse(data: jsonData)
        XCTAssertEqual(response, [PointOfInterest(name: "My Location")])
    }

    func testRefusingACoordinateThatIsNowhere() {
        let nowhere = CLLocationCoordinate2D(latitude: 91, longitude: 0)

        XCTAssertThrowsError(try request.makeRequest(from: nowhere)) { error in
            XCTAssertEqual(error as? PointsOfInterestRequest.RequestError, .invalidCoordinate)
        }
    }

    func testRefusingABodyThatIsNoList() {
        XCTAssertThrowsError(try request.parseResponse(data: Data("{}".utf8))) { error in
            XCTAssert(error is DecodingError, "\(error)")
        }
    }
}
