import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import XCTest

// The talk's end-to-end test, as the article on URLProtocol (Qiita) and the notes on the talk have
// it; only the clean-up is added.

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
        wait(for: [expectation], timeout: 1)
    }
}

/// The same over `URLSession.shared`, which no configuration reaches.
class SharedAPILoaderTests: XCTestCase {

    var loader: APIRequestLoader<PointsOfInterestRequest>!

    override func setUp() {
        let request = PointsOfInterestRequest()
        #if canImport(FoundationNetworking)
        // `URLProtocol.registerClass` works on Linux only before the process's first session.
        MockURLProtocol.register()
        #else
        URLProtocol.registerClass(MockURLProtocol.self)
        #endif
        loader = APIRequestLoader(apiRequest: request, urlSession: URLSession.shared)
    }

    override func tearDown() {
        #if canImport(FoundationNetworking)
        MockURLProtocol.unregister()
        #else
        URLProtocol.unregisterClass(MockURLProtocol.self)
        #endif
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
        wait(for: [expectation], timeout: 1)
    }
}
