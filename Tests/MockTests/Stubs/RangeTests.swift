import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited, .usesSockets) struct RangeTests {
    @Test(arguments: Transport.allCases)
    func servesTheRangeThatIsAskedFor(_ transport: Transport) async throws {
        let rows: [(fields: [String: String], status: Int, body: String, range: String?)] = [
            // A weak tag does not count, not even that of the response.
            (["Range": "bytes=2-4", "If-Range": "W/\"2\""], 200, "abcdef", nil),
            (["Range": "bytes=2-4"], 206, "cde", "bytes 2-4/6"),
            (["Range": "bytes=9-"], 416, "", "bytes */6"),
            (["Range": "bytes=2-4", "If-Range": "\"1\""], 206, "cde", "bytes 2-4/6"),
            (["Range": "bytes=2-4", "If-Range": "\"0\""], 200, "abcdef", nil),
            (["Range": "bytes=2-4", "If-Range": "W/\"1\""], 200, "abcdef", nil),
            (["Range": "bytes=0-0"], 206, "a", "bytes 0-0/6"),
            (["Range": "bytes=2-"], 206, "cdef", "bytes 2-5/6"),
            (["Range": "bytes=2-99"], 206, "cdef", "bytes 2-5/6"),
            (["Range": "bytes=6-"], 416, "", "bytes */6"),
            // What the server does not read gets the whole body.
            (["Range": "bytes=0-0,2-3"], 200, "abcdef", nil), ([:], 200, "abcdef", nil),
            (["Range": "bytes=-3"], 200, "abcdef", nil),
            (["Range": "bytes=4-2"], 200, "abcdef", nil),
            (["Range": "lines=1-2"], 200, "abcdef", nil),
            (["Range": "bytes=+1-2"], 200, "abcdef", nil),
        ]
        for row in rows {
            let client = try TestClient(transport)
            let isWeak = row.fields["If-Range"] == "W/\"2\""
            // The length of the whole body is not that of a part.
            client.network.stub(
                .any,
                .text("abcdef").header("ETag", isWeak ? "W/\"2\"" : "\"1\"")
                    .header("Content-Length", "6").acceptingRanges)

            let (data, response) = try await client.session.exchange(
                client.request(headers: row.fields))

            #expect(response.statusCode == row.status, "\(row)")
            #expect(data.text == row.body, "\(row)")
            let headers = ["Content-Range", "Accept-Ranges", "Content-Length"]
                .map { response.value(forHTTPHeaderField: $0) }
            #expect(headers == [row.range, "bytes", "\(row.body.count)"], "\(row)")
        }
    }

    /// Only a GET receives a part, only of a response with status 200, and only if its date is the
    /// same.
    @Test(arguments: [
        ("GET", 200, "today", 206), ("GET", 200, "yesterday", 200), ("GET", 201, "today", 201),
        ("GET", 404, "today", 404), ("POST", 200, "today", 200), ("HEAD", 200, "today", 200),
    ])
    func sendsAPartOnlyOfACurrentBody(
        _ method: String, _ status: Int, _ date: String, _ expected: Int
    ) async throws {
        let client = try TestClient(.direct)
        client.network.stub(
            .any,
            .text("abcdef", status: status, headers: ["Last-Modified": "today"]).acceptingRanges)
        let headers = ["Range": "bytes=1-2", "If-Range": date]

        let (data, response) = try await client.session.exchange(
            client.request(method: method, headers: headers))

        #expect(response.statusCode == expected)
        #expect(data.text == (method == "HEAD" ? "" : expected == 206 ? "bc" : "abcdef"))
    }

    @Test(arguments: Transport.allCases)
    func aPartOfASlowBodyIsSlow(_ transport: Transport) async throws {
        let clock = MockClock(patience: .zero)
        let client = try TestClient(transport, MockNetwork(clock: clock))
        client.network.stub(
            .get("/a"), .text("abcdefgh").chunked(by: 2, every: .seconds(1)).acceptingRanges)
        client.network.stub(.get("/b"), .text("abcdef"))
        let range = ["Range": "bytes=1-5"]

        async let load = client.session.exchange(client.request(headers: range))
        await client.network.waitForRequests()
        await clock.advance(by: .seconds(2))
        let (data, response) = try await load

        #expect(data.text == "bcdef")
        #expect(response.statusCode == 206)
        #expect(client.network.requests.first?.endTime == .seconds(2))
        let (whole, ignored) = try await client.session.exchange(
            client.request("b", headers: range))
        #expect(whole.text == "abcdef")
        #expect(ignored.statusCode == 200)
    }
}
