import Foundation
import PointsOfInterest
import Testing
import pois

@Suite struct OptionsTests {
    let sanJose = Options.Action.find(
        near: Coordinate(latitude: 37.3293, longitude: -121.8893))

    @Test func hasDefaults() throws {
        let options = try Options(["--near", "37.3293,-121.8893"])

        #expect(options.action == sanJose)
        #expect(options.baseURL == nil)
        #expect(options.limit == 10)
        #expect(!options.printsJSON && !options.isVerbose)
    }

    @Test func readsEveryOption() throws {
        let options = try Options([
            "--json", "--limit", "100", "--base-url=https://example.com/v1?key=a=b",
            "--near=37.3293, -121.8893", "--verbose",
        ])

        #expect(options.action == sanJose)
        #expect(options.baseURL?.absoluteString == "https://example.com/v1?key=a=b")
        #expect(options.limit == 100)
        #expect(options.printsJSON && options.isVerbose)
    }

    @Test(arguments: [["--near", "-33.87,151.21"], ["--near=-33.87,151.21"]])
    func readsASouthernLatitude(_ arguments: [String]) throws {
        let sydney = Coordinate(latitude: -33.87, longitude: 151.21)

        #expect(try Options(arguments).action == .find(near: sydney))
    }

    @Test(arguments: [["--help"], ["-h"], ["--near", "--help"], ["--frobnicate", "-h"]])
    func helpsWhateverElseIsThere(_ arguments: [String]) throws {
        #expect(try Options(arguments).action == .help)
    }

    @Test(arguments: [0, 8080, 65535])
    func serves(_ port: Int) throws {
        #expect(try Options(["--serve", "\(port)"]).action == .serve(port: port))
    }

    @Test(arguments: [
        ([], "Say where to look, such as --near 37.3293,-121.8893, or see --help."),
        (["--json"], "Say where to look, such as --near 37.3293,-121.8893, or see --help."),
        (["--far"], "There is no option \"--far\"; see --help for those that there are."),
        (["37,-121"], "There is no option \"37,-121\"; see --help for those that there are."),
        ([""], "There is no option \"\"; see --help for those that there are."),
        (["--json", "--json"], "--json is given twice; give it once."),
        (["--near"], "--near needs a value; see --help for an example."),
        (["--near="], "--near needs a value; see --help for an example."),
        (["--near", "--json"], "--near needs a value; see --help for an example."),
        (["--json=yes"], "--json takes no value; write --json alone."),
        (
            ["--serve", "0", "--near", "1,1"],
            "--serve starts the server and nothing else; leave --near out."
        ),
    ])
    func refusesWhatIsNotAnOption(_ arguments: [String], _ sentence: String) throws {
        let error = #expect(throws: UsageError.self) { try Options(arguments) }
        #expect(error?.localizedDescription == sentence)
    }

    @Test(arguments: ["1", "1,", ",1", "1,2,3", "north,west", "1;2"])
    func refusesWhatIsNotACoordinate(_ text: String) {
        expectError(
            ["--near", text],
            "--near takes latitude,longitude in degrees, such as 37.3293,-121.8893, "
                + "not \"\(text)\".")
    }

    @Test(arguments: ["90.1,0", "-91,0", "0,180.1", "0,-181", "nan,0", "0,inf"])
    func refusesACoordinateOffTheGlobe(_ text: String) {
        expectError(
            ["--near", text],
            "--near takes a latitude from -90 to 90 and a longitude from -180 to 180, "
                + "not \"\(text)\".")
    }

    @Test(arguments: ["0", "101", "-1", "ten", "1.5"])
    func refusesALimit(_ text: String) {
        expectError(
            ["--near", "1,1", "--limit", text],
            "--limit takes a whole number from 1 to 100, not \"\(text)\".")
    }

    @Test(arguments: ["example.com", "ftp://example.com", "http://", "/v1", "http://h/#a"])
    func refusesABaseURL(_ text: String) {
        expectError(
            ["--near", "1,1", "--base-url", text],
            "--base-url takes an http or https URL with a host and without a #, "
                + "such as http://127.0.0.1:8080, not \"\(text)\".")
    }

    @Test(arguments: ["65536", "-1", "http"])
    func refusesAPort(_ text: String) {
        expectError(
            ["--serve", text],
            "--serve takes a port from 0 to 65535, where 0 is any that is free, not \"\(text)\".")
    }

    private func expectError(_ arguments: [String], _ sentence: String) {
        let error = #expect(throws: UsageError.self) { try Options(arguments) }
        #expect(error?.localizedDescription == sentence)
    }
}
