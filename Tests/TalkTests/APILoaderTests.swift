import APIKitLite
import APIKitLiteTesting
import TestSupport
import XCTest

// The talk's request and its end-to-end test, as the article on URLProtocol (Qiita) and the notes on
// the talk have them; only the clean-up is added. `APIRequest` and `APIRequestLoader` are ours.

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

class APILoaderTests: XCTestCase {

    var loader: APIRequestLoader<PointsOfInterestRequest>!

    // The lines are the article's.
    // swift-format-ignore
    override func setUp() {
        let request = PointsOfInterestRequest()

        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        let urlSession = URLSession(configuration: configuration)

        loader = APIRequestLoader(apiRequest: request, urlSession: urlSession)
    }

    override func tearDown() {
        MockURLProtocol.requestHandler = nil
    }

    // The lines are the article's.
    // swift-format-ignore
    func testLoaderSuccess() {
        let inputCoordinate = CLLocationCoordinate2D(latitude: 37.3293, longitude: -121.8893)

        let mockJSONData = "[{\"name\":\"MyPointOfInterest\"}]".data(using: .utf8)!

        MockURLProtocol.requestHandler = { request in
            XCTAssertEqual(request.url?.query?.contains("lat=37.3293"), true)
            return (HTTPURLResponse(), mockJSONData)
        }

        let expectation = XCTestExpectation(description: "response")
        loader.loadAPIRequest(requestData: inputCoordinate) {  pointsOfInterest, error in
            XCTAssertEqual(pointsOfInterest, [PointOfInterest(name: "MyPointOfInterest")])
            expectation.fulfill()
        }
        wait(for: [expectation], timeout: 900)
    }
}

/// The same test over `URLSession.shared`, which no configuration reaches.
class SharedAPILoaderTests: APILoaderTests {
    override func setUp() {
        let request = PointsOfInterestRequest()
        // The article's `URLProtocol.registerClass` works on Linux only before the first session.
        MockURLProtocol.register()
        loader = APIRequestLoader(apiRequest: request, urlSession: URLSession.shared)
    }

    override func tearDown() {
        MockURLProtocol.unregister()
        super.tearDown()
    }
}
