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
        #expect(options.timeout == .seconds(10))
        #expect(!options.printsJSON && !options.isVerbose)
        #expect(!options.isFlaky && !options.loadsAllPages)
    }

    @Test func readsEveryOption() throws {
        let options = try Options([
            "--json", "--limit", "100", "--base-url=https://example.com/v1?key=a=b",
            "--near=37.3293, -121.8893", "--verbose", "--timeout", "2.5",
        ])

        #expect(options.action == sanJose)
        #expect(options.baseURL?.absoluteString == "https://example.com/v1?key=a=b")
        #expect(options.limit == 100)
        #expect(options.timeout == .seconds(2.5))
        #expect(options.printsJSON && options.isVerbose)
    }

    @Test func readsASearch() throws {
        let options = try Options(["--search", "San Jose", "--all", "--flaky"])

        #expect(options.action == .search("San Jose"))
        #expect(options.loadsAllPages && options.isFlaky)
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

    @Test(arguments: [["--version"], ["--near", "--version"]])
    func showsTheVersionWhateverElseIsThere(_ arguments: [String]) throws {
        #expect(try Options(arguments).action == .version)
    }

    @Test(arguments: [0, 8080, 65535])
    func serves(_ port: Int) throws {
        #expect(try Options(["--serve", "\(port)"]).action == .serve(port: port))
        #expect(try Options(["--serve", "\(port)", "--flaky"]).isFlaky)
    }

    @Test(arguments: [
        ([], "There is nothing to look for. " + start),
        (["--json"], "There is nothing to look for. " + start),
        (["--far-away"], "There is no option \"--far-away\". See --help for all options."),
        (["37,-121"], "There is no option \"37,-121\". See --help for all options."),
        ([""], "There is no option \"\". See --help for all options."),
        (["--json", "--json"], "--json is given twice. Give --json once."),
        (["--near"], "--near needs a value. For example: --near 37.3293,-121.8893"),
        (["--near="], "--near needs a value. For example: --near 37.3293,-121.8893"),
        (["--near", "--json"], "--near needs a value. For example: --near 37.3293,-121.8893"),
        (["--search"], "--search needs a value. For example: --search \"San Jose\""),
        (["--search", "  "], "--search needs a value. For example: --search \"San Jose\""),
        (["--timeout"], "--timeout needs a value. For example: --timeout 10"),
        (["--json=yes"], "--json takes no value. Write --json alone."),
        (["--all=yes"], "--all takes no value. Write --all alone."),
        (
            ["--near", "1,1", "--search", "a"],
            "--near and --search exclude each other. Leave --search out."
        ),
        (
            ["--search", "a", "--all", "--limit", "3"],
            "--all and --limit exclude each other. Leave --limit out."
        ),
        (["--near", "1,1", "--all"], "--all needs --search. With --near, use --limit."),
        (
            ["--search", "a", "--flaky", "--base-url", "http://example.com"],
            "--flaky and --base-url exclude each other. Leave --base-url out."
        ),
        (["watch", "--near", "1,1"], "watch and --near exclude each other. Leave --near out."),
        (["watch", "--search", "a"], "watch and --search exclude each other. Leave --search out."),
        (["watch", "--limit", "3"], "watch and --limit exclude each other. Leave --limit out."),
        (["watch", "--all"], "watch and --all exclude each other. Leave --all out."),
        (["watch", "watch"], "watch is given twice. Give watch once."),
        (["--serve", "0", "watch"], "--serve and watch exclude each other. Leave watch out."),
        (["wach"], "There is no option \"wach\". Did you mean watch?"),
        (
            ["--near", "1,1", "--count", "3"],
            "--count needs watch. With --near or --search, use --limit."
        ),
        (["download", "upload", "a"], "download and upload exclude each other. Leave upload out."),
        (["download", "watch"], "download and watch exclude each other. Leave watch out."),
        (["upload", "a", "--all"], "upload and --all exclude each other. Leave --all out."),
        (
            ["upload", "a", "--count", "3"],
            "upload and --count exclude each other. Leave --count out."
        ),
        (["upload"], "upload needs a value. For example: upload places.json"),
        (["upload", "a", "--to", "b"], "--to needs download. Leave --to out."),
        (["download", "--to="], "--to needs a value. For example: --to places.json"),
        (["downlaod"], "There is no option \"downlaod\". Did you mean download?"),
        (
            ["--near", "1,1", "--limit-rate", "5k"],
            "--limit-rate needs download or --serve. Leave --limit-rate out."
        ),
        (
            ["download", "--limit-rate", "5k", "--base-url", "http://example.com"],
            "--limit-rate and --base-url exclude each other. Leave --base-url out."
        ),
        (
            ["--serve", "0", "download"],
            "--serve and download exclude each other. Leave download out."
        ),
        (
            ["--serve", "0", "--near", "1,1"],
            "--serve and --near exclude each other. Leave --near out."
        ),
    ])
    func refusesWhatIsNotAnOption(_ arguments: [String], _ sentence: String) {
        expectError(arguments, sentence)
    }

    @Test(
        arguments: [
            ("--limt", "--limit"), ("--limit=3x", nil), ("-limit", "--limit"), ("limit", "--limit"),
            ("--Limit", "--limit"), ("--serch=a", "--search"), ("--nearby", "--near"),
            ("--base_url", "--base-url"), ("--flakey", "--flaky"), ("--al", "--all"),
            ("--verbos", "--verbose"), ("--versio", "--version"), ("--time", nil), ("--", nil),
            ("--too", "--to"), ("--limit-rat", "--limit-rate"),
        ] as [(String, String?)])
    func suggestsTheNearestOption(_ argument: String, _ nearest: String?) {
        guard let nearest else {
            let error = #expect(throws: UsageError.self) { try Options([argument]) }
            #expect(error?.hint.hasPrefix("Did you mean") == false)
            return
        }
        expectError(
            [argument], "There is no option \"\(argument)\". Did you mean \(nearest)?")
    }

    @Test(
        arguments: [
            ("", "", 0), ("a", "", 1), ("", "ab", 2), ("limit", "limit", 0), ("limit", "limt", 1),
            ("limit", "limti", 2), ("kitten", "sitting", 3),
        ] as [(String, String, Int)])
    func countsEdits(_ one: String, _ other: String, _ distance: Int) {
        #expect(editDistance(one, other) == distance)
        #expect(editDistance(other, one) == distance)
    }

    @Test(arguments: ["1", "1,", ",1", "1,2,3", "north,west", "1;2"])
    func refusesWhatIsNotACoordinate(_ text: String) {
        expectError(
            ["--near", text],
            "--near cannot be \"\(text)\". "
                + "Give a latitude and a longitude in degrees, such as 37.3293,-121.8893.")
    }

    @Test(arguments: ["90.1,0", "-91,0", "0,180.1", "0,-181", "nan,0", "0,inf"])
    func refusesACoordinateOffTheGlobe(_ text: String) {
        expectError(
            ["--near", text],
            "--near \"\(text)\" is not on the globe. "
                + "Give a latitude from -90 to 90 and a longitude from -180 to 180.")
    }

    @Test(arguments: ["0", "101", "-1", "ten", "1.5"])
    func refusesALimit(_ text: String) {
        expectError(
            ["--near", "1,1", "--limit", text],
            "--limit cannot be \"\(text)\". Give a whole number from 1 to 100.")
    }

    @Test(arguments: ["0", "-1", "0.0001", "3601", "nan", "inf", "ten", "5s"])
    func refusesATimeout(_ text: String) {
        expectError(
            ["--near", "1,1", "--timeout", text],
            "--timeout cannot be \"\(text)\". Give seconds from 0.001 to 3600.")
    }

    @Test(arguments: ["example.com", "ftp://example.com", "http://", "/v1", "http://h/#a"])
    func refusesABaseURL(_ text: String) {
        expectError(
            ["--near", "1,1", "--base-url", text],
            "--base-url cannot be \"\(text)\". Give an http or https URL with a host and without "
                + "a #, such as http://127.0.0.1:8080")
    }

    @Test func watches() throws {
        #expect(try Options(["watch"]).action == .watch(count: nil))
        let options = try Options(["--json", "watch", "--count", "3", "--flaky"])

        #expect(options.action == .watch(count: 3))
        #expect(options.printsJSON && options.isFlaky)
    }

    @Test(
        arguments: [
            (["download"], .download(to: "places.json")),
            (["download", "--to", "a b"], .download(to: "a b")),
            (["upload", "a.zip", "--json"], .upload("a.zip")), (["upload=-"], .upload("-")),
        ] as [([String], Options.Action)])
    func transfers(_ arguments: [String], _ action: Options.Action) throws {
        #expect(try Options(arguments).action == action)
    }

    @Test(arguments: [
        ("800", 800), ("50k", 50_000), ("50K", 50_000), ("1.5M", 1_500_000), ("1", 1),
        ("1000M", 1_000_000_000),
    ])
    func readsARate(_ text: String, _ bytesPerSecond: Int) throws {
        #expect(try Options(["download", "--limit-rate", text]).bytesPerSecond == bytesPerSecond)
        let server = try Options(["--serve", "0", "--limit-rate=" + text])
        #expect(server.bytesPerSecond == bytesPerSecond)
    }

    @Test(arguments: ["0", "-1", "0.9", "k", "M", "50kB", "50 k", "1001M", "nan", "inf", "fast"])
    func refusesARate(_ text: String) {
        expectError(
            ["download", "--limit-rate", text],
            "--limit-rate cannot be \"\(text)\". Give 1 to 1000M bytes in a second, such as 50k.")
    }

    @Test(arguments: ["0", "-1", "ten", "1.5"])
    func refusesACount(_ text: String) {
        expectError(
            ["watch", "--count", text],
            "--count cannot be \"\(text)\". Give a whole number from 1.")
    }

    @Test(arguments: ["65536", "-1", "http"])
    func refusesAPort(_ text: String) {
        expectError(
            ["--serve", text],
            "--serve cannot be \"\(text)\". Give a port from 0 to 65535; 0 takes any free port.")
    }

    private func expectError(_ arguments: [String], _ sentence: String) {
        let error = #expect(throws: UsageError.self) { try Options(arguments) }
        #expect(error?.localizedDescription == sentence)
    }
}

private let start = "Use --near 37.3293,-121.8893 or --search \"San Jose\"; see --help."
