import APIKitLite
import APIKitLiteTesting
import Foundation
import PlacesServer
import PointsOfInterest
import Testing
import pois

/// `pois download` and `pois upload`: the bytes, the bar, and what is left after an interruption.
@Suite(.timeLimit(.minutes(1))) struct TransferTests {
    private let folder = TemporaryFolder()
    private let base = ["--base-url", "https://example.com"]
    private let bytes = Data((0..<100).map { UInt8($0) })

    private var download: [String] { ["download", "--to", folder.path("places.json")] + base }

    private func file(_ bytes: Data? = nil, tag: String = "1") -> MockResponse {
        .data(bytes ?? self.bytes).header("ETag", "\"\(tag)\"").acceptingRanges
    }

    private func network(_ first: MockResponse, _ second: MockResponse? = nil) -> MockNetwork {
        let network = MockNetwork()
        if let second {
            network.stub(.get("/places.json"), first, second)
        } else {
            network.stub(.get("/places.json"), first)
        }
        return network
    }

    @Test func downloadsAllPlaces() async throws {
        let places = (1...50).map {
            PointOfInterest(name: "\($0)", kind: "city", country: "XX", latitude: 0, longitude: 0)
        }
        let network = MockNetwork.places(PlacesIndex(places))

        let run = await CommandRun(download, over: MockURLSession(network))

        let data = try Data(contentsOf: folder.file("places.json"))
        #expect(try JSONDecoder().decode([PointOfInterest].self, from: data) == places)
        #expect(run.output.hasPrefix("Downloaded 3.5 kB to "))
        #expect(run.output.hasSuffix("/places.json\n"))
        // It is a pipe, so there is no bar.
        #expect(run.errors == "")
        #expect(run.exitCode == 0)
    }

    @Test func theSecondCallResumes() async throws {
        // The connection breaks, and the server that is asked for the rest is another one.
        let first = await CommandRun(
            download, over: MockURLSession(network(file().failing(afterBytes: 40), .status(404))))

        #expect(
            first.errors == "pois: Cannot load places from https://example.com because the server "
                + "answered 404 (Not Found). Check that --base-url names a server of this API. "
                + "The same command resumes at 40 bytes.\n")
        #expect(first.output == "")
        #expect(first.exitCode == 1)
        let network = network(file())

        let second = await CommandRun(download, over: MockURLSession(network))

        #expect(network.requests.map { $0.header("Range") } == ["bytes=40-"])
        #expect(try Data(contentsOf: folder.file("places.json")) == bytes)
        let path = folder.path("places.json")
        #expect(second.output == "Downloaded 100 bytes to \(path) (resumed at 40 bytes)\n")
        #expect(second.errors == "")
        #expect(second.exitCode == 0)
    }

    @Test func startsOverIfTheFileHasChanged() async throws {
        _ = await CommandRun(
            download, over: MockURLSession(network(file().failing(afterBytes: 40), .status(404))))
        let other = Data(bytes.reversed())

        let run = await CommandRun(
            download + ["--json"], over: MockURLSession(network(file(other, tag: "2"))))

        #expect(try Data(contentsOf: folder.file("places.json")) == other)
        let path = folder.path("places.json")
        #expect(run.output == #"{"bytes":100,"file":"\#(path)"}"# + "\n")
    }

    @Test func continuesByItselfIfTheConnectionBreaks() async throws {
        let places = MockNetwork.places(try PlacesIndex.world(), isFlaky: true)

        let run = await CommandRun(download + ["--json"], over: MockURLSession(places))

        let size = Int64(try Data(contentsOf: folder.file("places.json")).count)
        #expect(
            try JSONDecoder().decode(TransferResult.self, from: Data(run.output.utf8))
                == TransferResult(
                    file: folder.path("places.json"), bytes: size, resumedAt: size / 2))
        #expect(run.errors == "")
        #expect(run.exitCode == 0)
    }

    @Test func keepsThePartAtControlC() async throws {
        // The first forty bytes arrive; the clock for the rest never moves.
        let network = MockNetwork(clock: MockClock())
        network.stub(
            .get("/places.json"),
            file().header("Content-Length", "100").chunked(by: 40, every: .seconds(1)))
        let errors = Log()
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let command = Command(
            network: MockURLSession(network), clock: MockClock(),
            terminal: Terminal(width: 80, interval: .zero), output: { _ in },
            errors: { text in
                errors.append(text)
                if text.contains(" 40 bytes") { arrival.yield() }
            })

        let run = Task { [download] in await command.run(download) }
        for await _ in arrivals { break }
        run.cancel()

        #expect(await run.value == 130)
        #expect(
            errors.entries.joined().hasSuffix(
                "\r[=======>            ]   40%  40 bytes of 100 bytes\u{1B}[K\n"
                    + "pois: The download was interrupted. The same command resumes at 40 bytes.\n")
        )
        let second = self.network(file())
        _ = await CommandRun(download, over: MockURLSession(second))
        #expect(second.requests.map { $0.header("Range") } == ["bytes=40-"])
        #expect(try Data(contentsOf: folder.file("places.json")) == bytes)
    }

    @Test func keepsNothingAtControlCBeforeTheFirstByte() async {
        let network = network(.hanging)
        let session = MockURLSession(network)

        let run = Task { [download] in await CommandRun(download + ["--json"], over: session) }
        await network.waitForRequests()
        run.cancel()

        #expect(
            await run.value.errors
                == #"{"error":"The download was interrupted.","hint":"Run the same command again."}"#
                + "\n")
        #expect(await run.value.exitCode == 130)
    }

    @Test(arguments: [0, 30, 80])
    func drawsABarOnATerminal(_ width: Int) async {
        let run = await CommandRun(
            download, over: MockURLSession(network(file())),
            on: Terminal(width: width, interval: .seconds(3_600)))

        let states = [(0, 100), (100, 100)].map { completed, total in
            TransferState(completed: completed, total: total).text(width: width - 1)
        }
        let lines = run.errors.components(separatedBy: "\r").dropFirst()
        // Only the first state and the complete one: the interval is an hour.
        #expect(lines.first == states[0] + "\u{1B}[K")
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix(states[1]) })
        #expect(lines.count >= 2)
        #expect(run.errors.filter { $0 == "\n" }.count == 1)
        #expect(run.errors.hasSuffix("\n"))
    }

    @Test func drawsNoBarBetweenTheLinesOfVerbose() async {
        let run = await CommandRun(
            download + ["--verbose"], over: MockURLSession(network(file())),
            on: Terminal(width: 80))

        #expect(!run.errors.contains("\r"))
        #expect(run.errors.contains("attempt #1"))
    }

    @Test func saysThatTheFileCannotBeWritten() async {
        let path = folder.path("missing/places.json")

        let run = await CommandRun(
            ["download", "--to", path] + base, over: MockURLSession(network(file())))

        #expect(
            run.errors == "pois: Cannot load places from https://example.com because "
                + "the folder \(folder.path("missing")) does not exist. Create it before the download. "
                + "Choose another file with --to.\n")
        #expect(run.exitCode == 1)
    }

    @Test(arguments: [0, 1, 200_000])
    func uploadsEachByte(_ count: Int) async throws {
        let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let path = folder.path("a b.zip")
        try content.write(to: folder.file("a b.zip"))
        let network = MockNetwork.places(PlacesIndex([]), isFlaky: true)

        let run = await CommandRun(["upload", path] + base, over: MockURLSession(network))

        let uploads = network.requests.filter { $0.method == "PUT" }
        // 401, 503 and then 200.
        #expect(uploads.map(\.path) == Array(repeating: "/uploads/a b.zip", count: 3))
        #expect(uploads.last?.body == content)
        #expect(uploads.last?.header("Content-Type") == "application/zip")
        #expect(run.output == "Uploaded \(size(of: Int64(count))) of \(path)\n")
        #expect(run.errors == "")
        #expect(run.exitCode == 0)
    }

    @Test func drawsABarForAnUpload() async throws {
        try bytes.write(to: folder.file("a.bin"))
        let network = MockNetwork()
        network.stub(.put("/uploads/a.bin"), .json(encoding: UploadReceipt(bytes: 100)))

        let run = await CommandRun(
            ["upload", folder.path("a.bin"), "--json"] + base, over: MockURLSession(network),
            on: Terminal(width: 80, interval: .zero))

        #expect(run.errors.contains("  0 bytes of 100 bytes\u{1B}[K\r"))
        #expect(run.errors.hasSuffix("100%  100 bytes of 100 bytes\u{1B}[K\n"))
        #expect(run.output == #"{"bytes":100,"file":"\#(folder.path("a.bin"))"}"# + "\n")
    }

    @Test func saysWhyAFileIsNotUploaded() async {
        let path = folder.path("missing.zip")
        let run = await CommandRun(["upload", path] + base)

        #expect(
            run.errors == "pois: Cannot upload \(path) to https://example.com because the file "
                + "\"missing.zip\" does not exist. Check the path; the file must not change while "
                + "it is sent.\n")
        #expect(run.exitCode == 1)
    }
}
