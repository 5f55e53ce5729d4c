import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import XCTest

// `loadData(near:)` of the notes on the talk: first as one piece, then split.

/// What both view controllers show.
class PointsOfInterestViewController {
    final class TableView {
        var reloaded: () -> Void = {}
        func reloadData() { reloaded() }
    }

    var tableValues: [PointOfInterest] = []
    let tableView = TableView()
    private(set) var lastError: Error?
    var failed: () -> Void = {}

    func handleError(_ error: Error?) {
        DispatchQueue.main.async {
            self.lastError = error
            self.failed()
        }
    }

    func loadData(near coord: CLLocationCoordinate2D) {}
}

final class MonolithViewController: PointsOfInterestViewController {
    // The lines are the notes'.
    // swift-format-ignore
    override func loadData(near coord: CLLocationCoordinate2D) {
        let url = URL(string: "/locations?lat=\(coord.latitude)&long=\(coord.longitude)")!
        URLSession.shared.dataTask(with: url) { data, response, error in
            guard let data = data else { self.handleError(error); return }
            do {
                let values = try JSONDecoder().decode([PointOfInterest].self, from: data)
                DispatchQueue.main.async {
                    self.tableValues = values
                    self.tableView.reloadData()
                }
            } catch {
                self.handleError(error)
            }
        }.resume()
    }
}

final class SplitViewController: PointsOfInterestViewController {
    private let loader: APIRequestLoader<PointsOfInterestRequest>

    init(loader: APIRequestLoader<PointsOfInterestRequest>) {
        self.loader = loader
    }

    override func loadData(near coord: CLLocationCoordinate2D) {
        loader.loadAPIRequest(requestData: coord) { values, error in
            guard let values = values else { return self.handleError(error) }
            DispatchQueue.main.async {
                self.tableValues = values
                self.tableView.reloadData()
            }
        }
    }
}

/// The same claims for both: the mock needs no change in the code under test.
class MonolithLoadDataTests: XCTestCase {
    func makeViewController() -> PointsOfInterestViewController { MonolithViewController() }

    override func setUp() {
        MockURLProtocol.register()
    }

    override func tearDown() {
        MockURLProtocol.unregister()
        MockURLProtocol.requestHandler = nil
    }

    func load(latitude: Double) -> PointsOfInterestViewController {
        let controller = makeViewController()
        let ended = expectation(description: "ended")
        controller.tableView.reloaded = { ended.fulfill() }
        controller.failed = { ended.fulfill() }
        controller.loadData(near: CLLocationCoordinate2D(latitude: latitude, longitude: -121.8893))
        wait(for: [ended], timeout: 10)
        return controller
    }

    func testShowsThePoints() {
        MockURLProtocol.requestHandler = { _ in
            (HTTPURLResponse(), Data(#"[{"name": "MyPointOfInterest"}]"#.utf8))
        }

        let controller = load(latitude: 37.3293)

        XCTAssertEqual(controller.tableValues, [PointOfInterest(name: "MyPointOfInterest")])
        XCTAssertNil(controller.lastError)
        XCTAssertEqual(MockURLProtocol.requests.map(\.request.url?.path), ["/locations"])
        XCTAssertEqual(
            MockURLProtocol.requests.first?.query, ["lat": "37.3293", "long": "-121.8893"])
    }

    func testHandlesATransportError() {
        MockURLProtocol.requestHandler = { _ in throw URLError(.notConnectedToInternet) }

        let controller = load(latitude: 37.3293)

        XCTAssertEqual((controller.lastError as? URLError)?.code, .notConnectedToInternet)
        XCTAssert(controller.tableValues.isEmpty)
    }

    func testHandlesABodyThatIsNoList() {
        MockURLProtocol.requestHandler = { _ in (HTTPURLResponse(), Data("{}".utf8)) }

        let controller = load(latitude: 37.3293)

        XCTAssert(controller.lastError is DecodingError)
        XCTAssert(controller.tableValues.isEmpty)
    }
}

final class SplitLoadDataTests: MonolithLoadDataTests {
    override func makeViewController() -> PointsOfInterestViewController {
        SplitViewController(loader: APIRequestLoader(apiRequest: PointsOfInterestRequest()))
    }

    /// What the split is for: the monolith sends this to the server.
    func testSendsNothingForACoordinateThatIsNowhere() {
        MockURLProtocol.requestHandler = { _ in (HTTPURLResponse(), Data("[]".utf8)) }

        let controller = load(latitude: 91)

        XCTAssertEqual(
            controller.lastError as? PointsOfInterestRequest.RequestError, .invalidCoordinate)
        XCTAssert(MockURLProtocol.requests.isEmpty)
    }
}
