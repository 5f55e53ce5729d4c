import APIKitLiteTesting
import Foundation
import XCTest

// The note on network unit tests again: a view model's test is about what the model makes of each
// kind of answer, not about the network.

private final class CoffeeViewModel {
    enum State: Equatable {
        case idle
        case loaded([String])
        case empty
        case offline
        case unreadable
        case refused
    }

    private(set) var state = State.idle
    private let networkManager: NetworkManager

    init(networkManager: NetworkManager) {
        self.networkManager = networkManager
    }

    func refresh() {
        networkManager.fetchData(
            for: "https://api.sampleapis.com/coffee/hot", dataType: [Coffee].self
        ) { [weak self] result in
            self?.state = CoffeeViewModel.state(after: result)
        }
    }

    private static func state(after result: Result<[Coffee], Error>) -> State {
        switch result {
        case .success(let coffees) where coffees.isEmpty: .empty
        case .success(let coffees): .loaded(coffees.map(\.title))
        case .failure(NetworkError.failToParse): .unreadable
        case .failure(NetworkError.invalid): .refused
        case .failure: .offline
        }
    }
}

class CoffeeViewModelTests: XCTestCase {
    private func state(after session: MockURLSession) -> CoffeeViewModel.State {
        let sut = CoffeeViewModel(networkManager: NetworkManager(session: session))
        XCTAssertEqual(sut.state, .idle)
        sut.refresh()
        return sut.state
    }

    private func session(_ data: Data?, statusCode: Int = 200) -> MockURLSession {
        .make(
            url: "https://api.sampleapis.com/coffee/hot", data: data, statusCode: statusCode)
    }

    func testShowsTitles() {
        XCTAssertEqual(
            state(after: session(JsonLoader.data(fileName: "Coffees"))),
            .loaded(["Black Coffee", "Latte", "Cortado"]))
    }

    func testShowsThatThereIsNone() {
        XCTAssertEqual(state(after: session(Data("[]".utf8))), .empty)
    }

    func testShowsThatAnAnswerIsUnreadable() {
        XCTAssertEqual(state(after: session(Data("<html>".utf8))), .unreadable)
    }

    func testShowsThatTheServerRefused() {
        XCTAssertEqual(state(after: session(nil, statusCode: 500)), .refused)
    }

    func testShowsThatThereIsNoNetwork() {
        let session = MockURLSession(response: (nil, nil, URLError(.notConnectedToInternet)))

        XCTAssertEqual(state(after: session), .offline)
    }
}
