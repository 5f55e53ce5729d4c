import APIKitLite
import APIKitLiteTesting
import Foundation
import PlacesServer
import PointsOfInterest
import Testing
import pois

/// `pois download` and `pois upload`: the bytes, the progress, and what an interruption leaves.
@Suite(.timeLimit(.minutes(20))) struct TransferTests {
    private let folder = TemporaryFolder()
    private let base = ["--base-url", "https://example.com"]
    private let bytes = Data((0..<100).map { UInt8($0) })

    private var target: String { folder.file("places.json").path }
    private var download: [String] { ["download", "--to", target] + base }

    private func file(_ bytes: Data? = nil, tag: String = "1") -> MockResponse {
        .data(bytes ?? self.bytes).header("ETag", "\"\(tag)\"").acceptingRanges
    }

    private func network(_ first: MockResponse, _ second: MockResponse? = nil) -> MockNetwork {
        let network = MockNetwork()
        network.stub(.get("/places.json"), first, second ?? first)
        return network
    }

    @Test func downloadsAllPlacesAlthoughTheConnectionBreaks() async throws {
        let index = try PlacesIndex.world()

        let run = await CommandRun(download, over: .places(index, isFlaky: true))

        let data = try Data(contentsOf: folder.file("places.json"))
        #expect(try JSONDecoder().decode([PointOfInterest].self, from: data) == index.places)
        #expect(run.output == "Downloaded \(data.count) bytes to \(target) (resumed)\n")
        #expect(run.errors == "")
        #expect(run.exitCode == 0)
    }

    @Test func theSecondCallResumes() async throws {
        let first = await CommandRun(
            download, over: network(file().failing(afterBytes: 40), .status(404)))

        #expect(
            first.errors == "pois: The same command resumes the download.\n"
                + "pois: The server responded with 404 (Not Found). "
                + "Check that --base-url names a server of this API.\n")
        #expect(first.exitCode == 1)
        let network = network(file())

        let second = await CommandRun(download, over: network)

        #expect(network.requests.map { $0.header("Range") } == ["bytes=40-"])
        #expect(try Data(contentsOf: folder.file("places.json")) == bytes)
        #expect(second.output == "Downloaded 100 bytes to \(target) (resumed)\n")
    }

    @Test func startsOverIfTheFileHasChanged() async throws {
        _ = await CommandRun(
            download, over: network(file().failing(afterBytes: 40), .status(404)))
        let other = Data(bytes.reversed())

        let run = await CommandRun(download, over: network(file(other, tag: "2")))

        #expect(try Data(contentsOf: folder.file("places.json")) == other)
        #expect(run.output == "Downloaded 100 bytes to \(target)\n")
    }

    @Test func showsTheProgressOfADownloadOnATerminal() async {
        let run = await CommandRun(download, over: network(file()), showsProgress: true)

        #expect(run.errors.hasPrefix("\r0 of 100 bytes\r"))
        #expect(run.errors.hasSuffix("\r100 of 100 bytes\n"))
    }

    @Test func saysThatTheFileCannotBeWritten() async {
        let path = folder.file("missing/places.json").path

        let run = await CommandRun(["download", "--to", path] + base, over: network(file()))

        #expect(
            run.errors == "pois: The file could not be saved. Create the folder "
                + "\(folder.file("missing").path), or choose another file with --to.\n")
        #expect(run.exitCode == 1)
    }

    @Test(arguments: [
        (
            DownloadError.file(path: "/full/places.json.part", code: .ENOSPC),
            "There is not enough space to save the file. "
                + "Free some space, or choose another file with --to."
        ),
        (
            DownloadError.file(path: "/root/places.json.part", code: .EACCES),
            "The file could not be saved. /root/places.json.part could not be written: "
                + "Permission denied. Choose another file with --to."
        ),
    ]) func saysWhyTheFileCannotBeSaved(_ error: DownloadError, _ sentence: String) {
        #expect(explanation(of: APIRequestError(stage: .transport, underlying: error)) == sentence)
    }

    @Test(arguments: [0, 1, 200_000])
    func uploadsEachByte(_ count: Int) async throws {
        let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try content.write(to: folder.file("a b.zip"))
        let network = MockNetwork.places(PlacesIndex([]), isFlaky: true)

        let run = await CommandRun(
            ["upload", folder.file("a b.zip").path] + base, over: network, showsProgress: true)

        let uploads = network.requests.filter { $0.method == "PUT" }
        // 401, 503 and then 200.
        #expect(uploads.map(\.path) == Array(repeating: "/uploads/a b.zip", count: 3))
        #expect(uploads.last?.body == content)
        #expect(uploads.last?.header("Content-Type") == "application/zip")
        #expect(run.output == "Uploaded \(count) bytes.\n")
        #expect(run.errors.hasSuffix("bytes\n"))
        #expect(run.exitCode == 0)
    }

    @Test func saysWhyAFileIsNotUploaded() async {
        let path = folder.file("missing.zip").path

        let run = await CommandRun(["upload", path] + base)

        #expect(
            run.errors
                == "pois: The file \"missing.zip\" does not exist. Check the path \(path).\n")
        #expect(run.exitCode == 1)
    }

    @Test func saysThatTheFolderOfAnUploadIsMissing() async {
        let missing = folder.file("missing")

        let run = await CommandRun(
            ["upload", missing.appendingPathComponent("a.zip").path] + base)

        #expect(
            run.errors == "pois: The file \"a.zip\" does not exist. "
                + "The folder \(missing.path) does not exist, either.\n")
        #expect(run.exitCode == 1)
    }
}

/// A folder that is removed when it is no longer used.
final class TemporaryFolder: Sendable {
    private let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("pois-" + UUID().uuidString)

    init() {
        // A test that cannot write says so itself.
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Returns the URL of a file in the folder.
    func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}
