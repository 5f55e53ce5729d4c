import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct RespondingTests {
    @Test(arguments: Transport.allCases)
    func respondsWithAFixture(_ transport: Transport) async throws {
        for (name, asked, type) in [
            ("users.json", "users", "application/json"),
            ("users.json", "users.json", "application/json"),
            ("page.html", "page.html", "text/html; charset=utf-8"),
            ("raw.bin", "raw.bin", "application/octet-stream"),
        ] {
            let folder = try TemporaryFolder()
            try folder.write("[1]", name)
            let client = try TestClient(transport)
            let bundle = try #require(Bundle(url: folder.url))
            client.network.stub(.any, .fixture(asked, in: bundle, status: 201))

            let (data, response) = try await client.session.exchange(client.request())

            #expect(data.text == "[1]")
            #expect(response.statusCode == 201)
            #expect(response.value(forHTTPHeaderField: "Content-Type") == type)
        }
    }

    @Test func aMissingFixtureIsNamedWithItsPlaceAndWhatThereIs() async throws {
        let folder = try TemporaryFolder()
        try folder.write("[]", "users.json")
        let bundle = try #require(Bundle(url: folder.url))
        let network = MockNetwork(.fixture("user", in: bundle), fileID: "A/B.swift", line: 7)

        let text = try await network.mockError()

        let path = folder.url.path
        #expect(
            text == """
                No fixture "user". Looked for:
                  \(path)/user.json
                  \(path)/user
                  \(path)/Fixtures/user.json
                  \(path)/Fixtures/user
                  \(path)/Resources/user.json
                  \(path)/Resources/user
                There is: users.json.
                Is the file among the resources of the test target? (A/B.swift:7)
                """)
        #expect(network.findings == [text])
        let other = "\(MockResponse.fixture("Missing", in: .main))"
        #expect(other.hasPrefix("unusable response: No fixture \"Missing\"."))
    }

    @Test(arguments: Transport.allCases)
    func respondsInOrder(_ transport: Transport) async throws {
        let client = try TestClient(transport)
        client.network.stub(.get("/a"), .text("1"), .text("2"))
        client.network.stub(.get("/b"), .text("1"), .text("2"), then: .fail)
        client.network.stub(.get("/c"), .text("1"), then: .fail)

        for text in ["1", "2", "2", "2"] { #expect(try await client.load() == text) }
        for (path, count, end) in [
            ("b", 2, "the last of the 2 responses"), ("c", 1, "the only response"),
        ] {
            for _ in 1...count { _ = try await client.load(path) }
            let (status, text) = await client.outcome(of: client.request(path))
            #expect((status == nil) == (transport != .loopback))
            #expect(text.contains("/\(path) came after \(end) of the stub for method GET"))
        }
        #expect(client.network.findings.count == 2)
    }

    @Test(arguments: Transport.allCases)
    func passesARequestToARealSessionAndMarksIt(_ transport: Transport) async throws {
        let real = MockNetwork { request in
            (
                HTTPURLResponse(
                    url: request.url!, statusCode: 203, httpVersion: nil,
                    headerFields: ["X-From": "real"])!, request.httpBody
            )
        }
        let client = try TestClient(transport)
        let network = client.network
        network.stub(.any, .text("mocked"))
        network.stub(.post("/a"), .passthrough(to: real.urlSession))
        network.stub(.put("/a")) { _ in .passthrough(to: real) }

        for (method, text, status, from) in [
            ("POST", "body", 203, "real"), ("GET", "mocked", 200, nil),
            ("PUT", "body", 203, "real"),
        ] {
            var request = client.request(method: method)
            request.httpBody = method == "GET" ? nil : Data("body".utf8)
            let (data, response) = try await client.session.exchange(request)

            #expect(data.text == text)
            #expect(response.statusCode == status)
            #expect(response.value(forHTTPHeaderField: "X-From") == from)
        }

        #expect(network.requests.map(\.wasPassedThrough) == [true, false, true])
        #expect(network.requests.first?.description.hasSuffix(", passed through") == true)
        #expect(real.requests.map(\.method) == ["POST", "PUT"])
        try network.verify()
    }

    @Test(arguments: Transport.allCases)
    func aCompressedResponseCanBePassedThrough(_ transport: Transport) async throws {
        let zipped = try #require(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA=="))
        let real = MockNetwork(.data(zipped).header("Content-Encoding", "gzip"))
        let realURL = try real.serve().url
        let realSession = URLSession(configuration: .withoutProxy).intercepting { request, next in
            try await next(URLRequest(url: realURL))
        }
        let client = try TestClient(transport, MockNetwork(.passthrough(to: realSession)))

        #expect(try await client.load() == "hello")
    }

    @Test func whatNothingMatchesIsNeverPassedThrough() async throws {
        let network = MockNetwork()
        let real = MockNetwork { _ in (HTTPURLResponse(), nil) }
        network.stub(.get("/other"), .passthrough(to: real.urlSession))

        await #expect(throws: MockError.self) { try await network.exchange(.test("a")) }
        #expect(real.requests.isEmpty)
    }
}
