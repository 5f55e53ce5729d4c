import APIKitLiteTesting
import TestSupport
import XCTest

@testable import APIKitLite

// `loadData(near:)` of the notes on the talk: first as one piece, then split.

private class MonolithViewController {
    final class TableView {
        let ended = XCTestExpectation(description: "reloaded, or failed")
        func reloadData() { ended.fulfill() }
    }

    var tableValues: [PointOfInterest] = []
    let tableView = TableView()
    private(set) var lastError: Error?

    func handleError(_ error: Error?) {
        lastError = error
        tableView.ended.fulfill()
    }

    // The lines are the notes'.
    // swift-format-ignore
    func loadData(near coord: CLLocationCoordinate2D) {
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

private final class SplitViewController: MonolithViewController {
    private let loader = APIRequestLoader(apiRequest: PointsOfInterestRequest())

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
class LoadDataTests: HandlerTestCase {
    override func setUp() {
        super.setUp()
        MockURLProtocol.register()
    }

    override func tearDown() {
        MockURLProtocol.unregister()
        super.tearDown()
    }

    private func load(
        _ controller: MonolithViewController,
        _ handler: @escaping (URLRequest) throws -> (URLResponse, Data?)
    ) {
        MockURLProtocol.requestHandler = handler
        controller.loadData(near: CLLocationCoordinate2D(latitude: 37.3293, longitude: -121.8893))
        wait(for: [controller.tableView.ended], timeout: 900)
    }

    private var controllers: [() -> MonolithViewController] {
        [{ MonolithViewController() }, { SplitViewController() }]
    }

    func testShowsThePoints() {
        for controller in controllers.map({ $0() }) {
            load(controller) { _ in response(#"[{"name": "MyPointOfInterest"}]"#) }

            XCTAssertEqual(controller.tableValues, [PointOfInterest(name: "MyPointOfInterest")])
            XCTAssertEqual(
                MockURLProtocol.requests.map(\.query), [["lat": "37.3293", "long": "-121.8893"]])
        }
    }

    func testHandlesAnErrorOfTheHandlerAndABodyThatIsNoList() {
        for makeController in controllers {
            let (failed, unreadable) = (makeController(), makeController())
            load(failed) { _ in throw TestError(number: 7) }
            load(unreadable) { _ in response("{}") }

            let error = failed.lastError.map(originalError)
            XCTAssertEqual(error as? TestError, TestError(number: 7))
            XCTAssert(unreadable.lastError is DecodingError)
        }
    }
}
