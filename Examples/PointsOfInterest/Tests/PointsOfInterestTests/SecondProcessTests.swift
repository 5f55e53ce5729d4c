import APIKitLiteTesting
import Foundation
import PointsOfInterest
import Testing

/// The program in a process of its own, against this test's own network. A UI test tests an app in
/// the same way.
@Suite(.timeLimit(.minutes(2))) struct SecondProcessTests {
    let network = MockNetwork()

    @Test func printsWhatTheServerAnswers() async throws {
        network.stub(
            .get("/locations").query(["lat": "37.3293", "long": "-121.8893", "limit": "2"]),
            .json(encoding: [
                PointOfInterest(
                    name: "Far", kind: "city", country: "US", latitude: 38, longitude: -121.8893),
                PointOfInterest(
                    name: "Near", kind: "airport", country: "US", code: "NRA",
                    latitude: 37.3293, longitude: -121.8),
            ]))
        let server = try network.serve()
        defer { server.stop() }

        let pois = try await Pois(
            "--near", "37.3293,-121.8893", "--limit", "2", "--base-url", server.url.absoluteString)

        #expect(pois.errors == "")
        #expect(
            pois.output == """
                Name  Kind     Distance  Direction
                Near  airport    7.9 km  E
                Far   city      74.6 km  N

                """)
        #expect(pois.exitCode == 0)
        #expect(network.requests.map(\.request.url?.path) == ["/locations"])
        try network.verify()
    }

    @Test func showsExchangesApartFromTheResult() async throws {
        network.stub(.get("/locations"), .json("[]"))
        let server = try network.serve()
        defer { server.stop() }

        let pois = try await Pois(
            "--near", "0.5,0.5", "--base-url", server.url.absoluteString, "--json", "--verbose")

        let url = "\(server.url)/locations?lat=0.5&long=0.5&limit=10"
        let lines = pois.errors.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.prefix(2) == ["load #1 GET \(url)", "attempt #1 GET \(url)"])
        #expect(
            lines.dropFirst(2).map { $0.prefix { $0 != "," } }
                == ["attempt #1 GET \(url): 200 (OK)", "load #1 GET \(url): 200 (OK)"])
        #expect(try JSONDecoder().decode([String].self, from: Data(pois.output.utf8)) == [])
        #expect(pois.exitCode == 0)
    }

    @Test(
        arguments: [
            (
                .status(404),
                "the server answered 404 (Not Found). \(server)"
            ),
            (
                .json(#"{"error": "Out of maps."}"#, status: 500),
                "it answered 500: Out of maps. Try again later."
            ),
            (.text("<html>"), "its answer is not the expected JSON. \(server)"),
        ] as [(MockResponse, String)])
    func saysWhyThereIsNoResult(_ response: MockResponse, _ reason: String) async throws {
        network.stub(.get("/locations"), response)
        let server = try network.serve()
        defer { server.stop() }

        let pois = try await Pois("--near", "1,1", "--base-url", server.url.absoluteString)

        #expect(pois.output == "")
        #expect(pois.errors == "pois: Cannot load places from \(server.url) because \(reason)\n")
        #expect(pois.exitCode == 1)
        try network.verify()
    }

    @Test func saysThatTheServerIsNotThere() async throws {
        let server = try network.serve()
        server.stop()

        let pois = try await Pois("--near", "1,1", "--base-url", server.url.absoluteString)

        #expect(
            pois.errors
                == "pois: Cannot load places from \(server.url) because the server could not be "
                + "reached. Check --base-url, or leave it out to use the server inside pois.\n")
        #expect(pois.exitCode == 1)
    }

    @Test func saysThatThePortIsTaken() async throws {
        let server = try network.serve()
        defer { server.stop() }

        let pois = try await Pois("--serve", "\(server.port)")

        #expect(
            pois.errors
                == "pois: Port \(server.port) is in use. "
                + "Choose another port, or 0 for any free port.\n")
        #expect(pois.exitCode == 1)
    }

    @Test func saysWhatIsWrongWithTheArguments() async throws {
        let pois = try await Pois("--near", "91,0")

        #expect(pois.output == "")
        #expect(
            pois.errors == """
                pois: --near "91,0" is not on the globe. Give a latitude from -90 to 90 and a \
                longitude from -180 to 180.

                """)
        #expect(pois.exitCode == 64)
    }

    @Test func helps() async throws {
        let pois = try await Pois("--help")

        #expect(pois.output.hasPrefix("Lists airports and cities"))
        #expect(pois.exitCode == 0)
    }

    @Test func loadsFromItsOwnServerPastDeadProxies() async throws {
        let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy"]
        var environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "http://127.0.0.1:1") })
        environment["no_proxy"] = "example.com"

        let pois = try await Pois("--near", "37.3293,-121.8893", environment: environment)

        #expect(pois.errors == "")
        #expect(pois.output.contains("Mineta San Jose International Airport"))
        #expect(pois.exitCode == 0)
    }

    @Test func retriesWhatItsOwnServerRefuses() async throws {
        let pois = try await Pois("--search", "SJC", "--flaky", "--verbose")

        #expect(pois.errors.contains("/token: 200 (OK)"))
        #expect(pois.errors.contains(": 503 (Service Unavailable)"))
        #expect(pois.output.contains("Mineta San Jose International Airport"))
        #expect(pois.exitCode == 0)
    }

    @Test func connectsAgainWhenItsOwnServerBreaksTheConnection() async throws {
        let pois = try await Pois("watch", "--flaky", "--count", "4")

        let lines = pois.output.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(Set(lines).count == 4)
        #expect(
            pois.errors.hasPrefix("pois: The network connection was lost. Connecting again in 0."))
        #expect(pois.exitCode == 0)
    }

    @Test func endsAtControlC() async throws {
        network.stub(.get("/events"), .hanging)
        let server = try network.serve()
        defer { server.stop() }

        let pois = try await Pois(
            "watch", "--base-url", server.url.absoluteString,
            interruptedAfter: { [network] in await network.waitForRequests() })

        #expect(pois.output == "")
        #expect(pois.errors == "")
        #expect(pois.exitCode == 130)
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
        let (path, baseURL) = (folder.path("places.json"), server.url.absoluteString)

        let first = try await Pois(
            "download", "--to", path, "--base-url", baseURL,
            interruptedAfter: {
                while (try? Data(contentsOf: folder.file("places.json.part")).count) != 40_000 {
                    await Task.yield()
                }
            })

        #expect(first.output == "")
        // It is a pipe, so there is no bar.
        #expect(
            first.errors
                == "pois: The download was interrupted. The same command resumes at 40.0 kB.\n")
        #expect(first.exitCode == 130)

        let second = try await Pois("download", "--to", path, "--base-url", baseURL)

        #expect(second.errors == "")
        #expect(second.output == "Downloaded 100.0 kB to \(path) (resumed at 40.0 kB)\n")
        #expect(second.exitCode == 0)
        #expect(try Data(contentsOf: folder.file("places.json")) == bytes)
        #expect(network.requests.last?.header("If-Range") == "\"1\"")
    }

    @Test func uploadsOverASocket() async throws {
        let folder = TemporaryFolder()
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try bytes.write(to: folder.file("photo.jpg"))
        network.stub(.put("/uploads/photo.jpg"), .json(encoding: UploadReceipt(bytes: 300_000)))
        let server = try network.serve()
        defer { server.stop() }

        let pois = try await Pois(
            "upload", folder.path("photo.jpg"), "--base-url", server.url.absoluteString)

        #expect(pois.errors == "")
        #expect(pois.output == "Uploaded 300.0 kB of \(folder.path("photo.jpg"))\n")
        #expect(pois.exitCode == 0)
        #expect(network.requests.map(\.body) == [bytes])
        #expect(network.requests[0].header("Content-Length") == "300000")
    }

    @Test func endsAtTheTimeout() async throws {
        network.stub(.get("/locations"), .hanging)
        let server = try network.serve()
        defer { server.stop() }

        let pois = try await Pois(
            "--near", "1,1", "--base-url", server.url.absoluteString, "--timeout", "0.05", "--json")

        #expect(pois.errors.hasPrefix(#"{"error":"Cannot load places from \#(server.url) because"#))
        #expect(pois.errors.contains("the request timed out."))
        #expect(pois.exitCode == 1)
    }
}

private let server = "Check that --base-url names a server of this API."
