import APIKitLiteTesting
import Foundation
import XCTest

// The fixtures of the note on network unit tests, without its static calls.
final class JsonLoaderTests: XCTestCase {
    private let loader = JsonLoader(bundle: .module)

    func testLoadsAFixture() throws {
        let coffees = try loader.load(type: [Coffee].self, fileName: "Coffees")

        XCTAssertEqual(coffees.map(\.title), ["Black Coffee", "Latte", "Cortado"])
        XCTAssertEqual(
            try loader.data(fileName: "Coffees.json"), try loader.data(fileName: "Coffees"))
    }

    func testTellsWhereItLookedForAMissingOne() {
        XCTAssertThrowsError(try loader.data(fileName: "Teas")) { error in
            XCTAssertEqual((error as? FixtureNotFoundError)?.fileName, "Teas")
            XCTAssert("\(error)".contains("/Teas.json"), "\(error)")
        }
    }

    func testTellsThatAFixtureHasAnotherShape() {
        XCTAssertThrowsError(try loader.load(type: Coffee.self, fileName: "Coffees")) { error in
            XCTAssert(error is DecodingError, "\(error)")
        }
    }
}
