import APIKitLiteTesting
import Foundation
import XCTest

// The note on network unit tests: a stub's test looks at a state, a mock's at a behaviour.

private struct File: Equatable {
    let name: String
    let contents: Data
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

/// Keeps a menu and saves each new one.
private final class CoffeeMenu {
    private(set) var coffees: [Coffee] = []
    private let networkManager: NetworkManager
    private let saver: FileSaver

    init(networkManager: NetworkManager, saver: FileSaver) {
        self.networkManager = networkManager
        self.saver = saver
    }

    func refresh() {
        networkManager.fetchData(
            for: "https://api.sampleapis.com/coffee/hot", dataType: [Coffee].self
        ) { result in
            guard let coffees = try? result.get(), coffees != self.coffees else { return }
            self.coffees = coffees
            let titles = coffees.map(\.title).joined(separator: "\n")
            self.saver.save(file: File(name: "menu.txt", contents: Data(titles.utf8)))
        }
    }
}

class FileSaverTests: XCTestCase {
    private let saver = MockFileSaver()

    private func makeMenu(statusCode: Int = 200) -> CoffeeMenu {
        let session = MockURLSession.make(
            url: "https://api.sampleapis.com/coffee/hot",
            data: JsonLoader.data(fileName: "Coffees"), statusCode: statusCode)
        return CoffeeMenu(networkManager: NetworkManager(session: session), saver: saver)
    }

    func testState() {
        let menu = makeMenu()

        menu.refresh()

        XCTAssertEqual(menu.coffees.map(\.title), ["Black Coffee", "Latte", "Cortado"])
    }

    func testBehaviour() {
        makeMenu().refresh()

        XCTAssert(saver.didCallSave)
        XCTAssertEqual(
            saver.savedFile,
            File(name: "menu.txt", contents: Data("Black Coffee\nLatte\nCortado".utf8)))
    }

    func testAFailureSavesNothing() {
        makeMenu(statusCode: 500).refresh()

        XCTAssertFalse(saver.didCallSave)
    }

    func testTheSameMenuIsNotSavedAgain() {
        let menu = makeMenu()
        menu.refresh()
        saver.didCallSave = false

        menu.refresh()

        XCTAssertFalse(saver.didCallSave)
    }
}
