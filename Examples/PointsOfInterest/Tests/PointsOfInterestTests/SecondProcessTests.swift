import APIKitLiteTesting
import Foundation
import PointsOfInterest
import Testing
import pois

/// The program in a process of its own, against this test's own network. A UI test tests an app in
/// the same way.
@Suite(.timeLimit(.minutes(20))) struct SecondProcessTests {
    let network = MockNetwork()

    @Test func printsWhatTheServerSends() async throws {
        network.stub(
            .get("/locations").query(["lat": "37.3293", "long": "-121.8893", "limit": "2"]),
            .json(encoding: [
                PointOfInterest(
                    name: "Near", kind: "airport", country: "US", code: "NRA",
                    latitude: 37.3293, longitude: -121.8),
                PointOfInterest(
                    name: "Far", kind: "city", country: "US", latitude: 38, longitude: -121.8893),
            ]))
        let server = try network.serve()
        defer { server.stop() }

        let pois = try await Pois(
            "--near", "37.3293,-121.8893", "--limit", "2", "--base-url", server.url.absoluteString)

        #expect(pois.errors == "")
        #expect(pois.output == "Near (airport, US), 7.9 km\nFar (city, US), 74.6 km\n")
        #expect(pois.exitCode == 0)
        #expect(network.requests.map(\.path) == ["/locations"])
        try network.verify()
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func saysThatTheDeviceOfItsOutputIsFull() async throws {
        let pois = try await Pois("--help", writingTo: "/dev/full")

        #expect(
            pois.errors == "pois: The output could not be written: No space left on device.\n")
        #expect(pois.exitCode == 1)
    }

    @Test func saysThatTheServerIsNotThere() async throws {
        let server = try network.serve()
        server.stop()

        let pois = try await Pois("--near", "1,1", "--base-url", server.url.absoluteString)

        #expect(pois.output == "")
        #expect(pois.errors.hasPrefix("pois: The server could not be reached. Check --base-url"))
        #expect(pois.exitCode == 1)
    }

    @Test func saysThatThePortIsTaken() async throws {
        let server = try network.serve()
        defer { server.stop() }
        let port = try #require(server.url.port)

        let pois = try await Pois("--serve", "\(port)")

        #expect(pois.errors.contains("port \(port): another program"))
        #expect(pois.exitCode == 1)
    }

    @Test func servesAnotherProcess() async throws {
        let (texts, text) = AsyncStream<String>.makeStream()
        let command = Command(output: { text.yield($0) }, errors: { _ in })
        let run = Task { await command.run(["--serve", "0"]) }
        defer { run.cancel() }
        let announcement = try #require(await texts.first { _ in true })
        let url = announcement.prefix { $0 != "\n" }.dropFirst("Serving places at ".count)

        let pois = try await Pois("--search", "SJC", "--base-url", String(url))

        #expect(pois.output == "Mineta San Jose International Airport (airport, US)\n")
        #expect(pois.exitCode == 0)
    }

    @Test func loadsFromItsOwnServerPastDeadProxies() async throws {
        let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy"]
        var environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "http://127.0.0.1:1") })
        environment["no_proxy"] = "example.com"

        let pois = try await Pois("--search", "SJC", "--flaky", environment: environment)

        #expect(pois.errors == "")
        #expect(pois.output == "Mineta San Jose International Airport (airport, US)\n")
        #expect(pois.exitCode == 0)
    }

    @Test func connectsAgainWhenItsOwnServerBreaksTheConnection() async throws {
        let pois = try await Pois("watch", "--flaky", "--limit", "4")

        #expect(Set(pois.output.split(separator: "\n")).count == 4)
        #expect(
            pois.errors.hasPrefix("pois: The network connection was lost. Connecting again in "))
        #expect(pois.exitCode == 0)
    }

    @Test func resumesADownloadAfterControlC() async throws {
        let folder = TemporaryFolder()
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let file = MockResponse.data(bytes).header("ETag", "\"1\"").acceptingRanges
        // The clock of the network never moves, so only the first piece is sent.
        let network = MockNetwork(clock: MockClock())
        network.stub(.get("/places.json"), file.chunked(by: 40_000, every: .seconds(1)), file)
        let server = try network.serve()
        defer { server.stop() }
        let (path, baseURL) = (folder.file("places.json").path, server.url.absoluteString)

        let first = try await Pois(
            "download", "--to", path, "--base-url", baseURL,
            interruptedAfter: {
                while (try? Data(contentsOf: folder.file("places.json.part")).count) != 40_000 {
                    await Task.yield()
                }
            })

        #expect(first.output == "")
        // It is a pipe, so there is no progress.
        #expect(first.errors == "pois: The same command resumes the download.\n")
        #expect(first.exitCode == 130)

        let second = try await Pois("download", "--to", path, "--base-url", baseURL)

        #expect(second.errors == "")
        #expect(second.output == "Downloaded 100000 bytes to \(path) (resumed)\n")
        #expect(second.exitCode == 0)
        #expect(try Data(contentsOf: folder.file("places.json")) == bytes)
        #expect(network.requests.last?.header("If-Range") == "\"1\"")
    }
}
