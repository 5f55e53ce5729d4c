import APIKitLiteTesting
import Foundation
import XCTest

// The note on network unit tests: a view model's test is about what the model makes of each kind of
// response, not about the network. A stub's test looks at a state, a mock's at a behaviour.

private struct File: Equatable {
    let name: String
    let lines: [String]
}

// The lines are the note's.
// swift-format-ignore
private protocol FileSaver {
  func save(file: File)
}

// The lines are the note's.
// swift-format-ignore
private class MockFileSaver: FileSaver {
  var didCallSave = false
  var savedFile: File?

  func save(file: File) {
    didCallSave = true
    savedFile = file
  }
}

/// Shows a menu, and saves each new one.
private final class CoffeeViewModel {
    enum State: Equatable {
        case idle
        case loaded([String])
        case offline
        case unreadable
        case refused
    }

    private(set) var state = State.idle
    private let networkManager: NetworkManager
    private let saver: FileSaver

    init(session: MockURLSession, saver: FileSaver) {
        networkManager = NetworkManager(session: session)
        self.saver = saver
    }

    func refresh() {
        networkManager.fetchData(
            for: "https://api.sampleapis.com/coffee/hot", dataType: [Coffee].self
        ) { result in
            let old = self.state
            switch result {
            case .success(let coffees): self.state = .loaded(coffees.map(\.title))
            case .failure(NetworkError.failToParse): self.state = .unreadable
            case .failure(NetworkError.invalid): self.state = .refused
            case .failure: self.state = .offline
            }
            guard case .loaded(let titles) = self.state, self.state != old else { return }
            self.saver.save(file: File(name: "menu.txt", lines: titles))
        }
    }
}

class CoffeeViewModelTests: XCTestCase {
    private let saver = MockFileSaver()
    private let titles = ["Black Coffee", "Latte", "Cortado"]
    private let coffees = JsonLoader.data(fileName: "Coffees")

    private func makeViewModel(_ data: Data?, statusCode: Int = 200) -> CoffeeViewModel {
        let url = "https://api.sampleapis.com/coffee/hot"
        return CoffeeViewModel(
            session: .make(url: url, data: data, statusCode: statusCode), saver: saver)
    }

    func testState() {
        let offline = MockURLSession(response: (nil, nil, URLError(.notConnectedToInternet)))
        let states: [(CoffeeViewModel, CoffeeViewModel.State)] = [
            (makeViewModel(coffees), .loaded(titles)),
            (makeViewModel(Data("[]".utf8)), .loaded([])),
            (makeViewModel(Data("<html>".utf8)), .unreadable),
            (makeViewModel(coffees, statusCode: 500), .refused),
            (CoffeeViewModel(session: offline, saver: saver), .offline),
        ]
        for (sut, state) in states {
            sut.refresh()

            XCTAssertEqual(sut.state, state)
        }
    }

    func testBehaviour() {
        makeViewModel(coffees, statusCode: 500).refresh()
        XCTAssertFalse(saver.didCallSave)

        let sut = makeViewModel(coffees)
        sut.refresh()
        XCTAssert(saver.didCallSave)
        XCTAssertEqual(saver.savedFile, File(name: "menu.txt", lines: titles))
        saver.didCallSave = false
        sut.refresh()
        XCTAssertFalse(saver.didCallSave, "The same menu is not saved again.")
    }
}
