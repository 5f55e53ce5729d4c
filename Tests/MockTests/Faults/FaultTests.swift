import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

@Suite(.limited) struct FaultTests {
    /// The texts of faults. `Wordings.txt` shows them.
    static func wordings() async throws -> [Wordings] {
        let faults: [Fault] = [
            .noFault, .cancelledBefore, .cancelledDuring, .error(.notConnectedToInternet),
            .error(.zeroByteResource), .hanging, .failing(afterBytes: 7), .truncated(toBytes: 7),
            .truncated(toBytes: 0), .wrongType(at: "$.user.ids[0]"), .null(at: "$"),
            .html(status: 502), .status(404), .status(429, retryAfter: "120"), .slow,
            .stalled(afterBytes: 7), .repeatedPiece(2),
        ]
        let (json, stream) = (MockResponse.json(#"{"a":1}"#), MockResponse.events(["1", "2"]))
        let unusable: [(Fault, MockResponse)] = [
            (.wrongType(at: "$"), .text("hi")), (.null(at: "$.x"), json),
            (.wrongType(at: "$.a."), json), (.truncated(toBytes: -1), json),
            (.truncated(toBytes: 1), .stream()), (.truncated(toBytes: 1), .hanging),
            (.failing(afterBytes: -1), json), (.status(99), json), (.html(status: 600), json),
            (.hanging, .json("{")),
            (.stalled(afterBytes: 0), stream), (.stalled(afterBytes: 10_000), stream),
            (.repeatedPiece(0), stream), (.repeatedPiece(4), stream),
        ]
        let samples: [MockResponse] = [
            .json("", status: 201), .hanging, .error(.timedOut), .text("x").failing(afterBytes: 0),
            .stream(), .text("x").held,
        ]
        var (faulty, refused): ([String], [String]) = ([], [])
        for (fault, sample) in unusable {
            let network = MockNetwork()
            network.stub(.any, fault.response(from: sample), fileID: "A/B.swift", line: 3)
            let error = try await #require(throws: MockError.self) {
                try await network.exchange(.test("a"))
            }
            faulty.append("\(error)")
        }
        for sample in samples {
            let error = try await #require(throws: MockError.self) {
                try await forEachFault(in: sample, fileID: "A/B.swift", line: 3) { _ in }
            }
            refused.append("\(error)")
        }
        return [
            Wordings("A fault", faults.map { "\($0)" }),
            Wordings("A fault that does not apply to its sample", faulty),
            Wordings("A sample that forEachFault refuses", refused),
        ]
    }

    private func response(
        of fault: Fault, to sample: MockResponse, method: String = "GET"
    ) async throws -> (Data, HTTPURLResponse) {
        let network = MockNetwork()
        network.stub(.any, fault.response(from: sample))
        return try await network.exchange(.test("a", method: method))
    }

    /// One way to write a path, in errors, differences and faults.
    @Test(arguments: ["a", "a-b", "a b", "1st", "5", "é", "q\"\\", "a.b", "_"])
    func takesThePathThatAnErrorAndAMatcherPrint(_ key: String) async throws {
        let sample = String(decoding: try JSONEncoder().encode([key: [["x": 1]]]), as: UTF8.self)
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([String: [[String: Bool]]].self, from: Data(sample.utf8))
        }
        let text = try "\(APIRequestError(stage: .parse, underlying: #require(error)))"
        let path = try #require(text.firstMatch(of: #/At (.*\.x): /#)?.output.1)

        let (data, _) = try await response(of: .null(at: String(path)), to: .json(sample))
        let broken = try JSONDecoder().decode([String: [[String: Int?]]].self, from: data)

        #expect(broken == [key: [["x": nil]]])
        let report = RequestMatcher.any.json(sample).report(on: .json(data.text))
        #expect(report.lines[0].difference?.details == ["\(path): expected 1, got null"])
    }

    private static let sample = #"{"a":"x","b":[1,true,null],"c":{},"d e":[]}"#

    @Test func breaksTheBody() async {
        let rows: [(Fault, String)] = [
            (.truncated(toBytes: 6), #"{"a":""#), (.truncated(toBytes: 99), Self.sample),
            (.truncated(toBytes: 0), ""), (.wrongType(at: "$"), "[]"),
            (.wrongType(at: "$.b"), #"{"a":"x","b":{},"c":{},"d e":[]}"#),
            (.wrongType(at: "$.b[1]"), #"{"a":"x","b":[1,"true",null],"c":{},"d e":[]}"#),
            (.wrongType(at: #"$["d e"]"#), #"{"a":"x","b":[1,true,null],"c":{},"d e":{}}"#),
            (.null(at: "$.a"), #"{"a":null,"b":[1,true,null],"c":{},"d e":[]}"#),
            (.null(at: "$"), "null"), (.status(503, retryAfter: "9"), Self.sample),
            (.slow, Self.sample),
        ]
        await forEachRow(rows) { row, comment in
            let (fault, body) = row
            let sample = MockResponse.json(Self.sample).header("ETag", "1")

            let (data, response) = try await self.response(of: fault, to: sample)

            #expect(data.text == body, comment)
            #expect(["\(body.utf8.count)", nil].contains(response.contentLength), comment)
            let isBusy = fault == .status(503, retryAfter: "9")
            #expect(response.statusCode == (isBusy ? 503 : 200), comment)
            let fields = [
                ("ETag", "1"), ("Content-Type", "application/json"),
                ("Retry-After", isBusy ? "9" : nil),
            ]
            for (name, value) in fields {
                #expect(response.value(forHTTPHeaderField: name) == value, comment)
            }
        }
    }

    @Test(arguments: [
        (Fault.error(.dnsLookupFailed), URLError.Code.dnsLookupFailed), (.hanging, .timedOut),
        (.error(.networkConnectionLost), .networkConnectionLost),
        (.failing(afterBytes: 0), .networkConnectionLost),
        (.failing(afterBytes: 7), .networkConnectionLost),
        (.failing(afterBytes: sample.utf8.count), .networkConnectionLost),
    ])
    func breaksTheExchange(_ fault: Fault, _ code: URLError.Code) async throws {
        let plain = MockResponse.json(Self.sample)
        for sample in [plain, plain.header("Content-Length", "\(Self.sample.utf8.count)")] {
            let clock = MockClock()
            let network = MockNetwork(clock: clock)
            network.stub(.any, fault.response(from: sample))
            let load = Task { try await network.exchange(.test("a")) }
            await network.waitForRequests()
            if fault == .hanging {
                await clock.waitForSleepers()
                await clock.advance(by: .seconds(60))
            }

            let error = await #expect(throws: URLError.self) { try await load.value }
            #expect(error?.code == code)
        }
    }

    @Test func aProxyRespondsWithAPage() async throws {
        let (data, response) = try await self.response(
            of: .html(status: 502), to: .json(Self.sample))

        #expect(response.statusCode == 502)
        #expect(response.mimeType == "text/html")
        #expect(data.text.contains("<title>502 Bad Gateway</title>"))
    }

    @Test(arguments: [
        Fault.truncated(toBytes: 1), .wrongType(at: "$"), .null(at: "$"), .status(503), .slow,
        .failing(afterBytes: 2), .repeatedPiece(1), .stalled(afterBytes: 1),
    ])
    func keepsTheTimeOfTheSample(_ fault: Fault) {
        let response = fault.response(from: .json("[1]").delayed(by: .seconds(5)).held)

        #expect(response.delay == .seconds(5) && response.isHeld)
    }

    @Test(arguments: [(1, 0), (2, 1), (43, 42), (64, 63), (65, 32), (10_000, 63)])
    func slowBytesComeASecondApart(_ length: Int, _ seconds: Int) async throws {
        let clock = MockClock(patience: .zero)
        let network = MockNetwork(clock: clock)
        network.stub(.any, Fault.slow.response(from: .text(String(repeating: "x", count: length))))
        async let load = network.exchange(.test("a"))
        if seconds > 0 {
            await clock.waitForSleepers()
            await clock.advance(by: .seconds(1000))
        }

        #expect(try await load.0.count == length)
        #expect(network.requests.first?.endTime == .seconds(seconds))
    }

    @Test(arguments: [
        Fault.slow, .repeatedPiece(1), .status(503), .null(at: "$"), .truncated(toBytes: 1),
        .noFault,
    ])
    func aSampleMayNameItsLength(_ fault: Fault) async throws {
        let sample = MockResponse.json("[1]").header("content-length", "3")

        let (data, got) = try await response(of: fault, to: sample)
        let (_, head) = try await response(of: fault, to: sample, method: "HEAD")

        #expect(got.contentLength == "\(data.count)")
        #expect(head.contentLength == "\(data.count)")
    }

    /// The recorded length is that of the encoded body, which no client receives.
    @Test(.usesSockets, arguments: Transport.allCases, ["50", "15", nil])
    func breaksTheBodyOfARecordedResponse(_ transport: Transport, _ length: String?) async throws {
        let headers = ["Content-Encoding": "gzip", "Content-Length": length]
        let body = SentPiece(data: Data(#"{"name":"Emma"}"#.utf8), time: .zero)
        let sample = MockResponse.exchange(
            HTTPArchive.Exchange(
                request: .test("a"),
                response: .status(200, headers: headers.compactMapValues(\.self)), pieces: [body],
                wasCancelled: false, startDate: .distantPast))

        for (fault, text) in [
            (Fault.truncated(toBytes: 7), #"{"name""#),
            (.wrongType(at: "$.name"), #"{"name":0}"#), (.null(at: "$.name"), #"{"name":null}"#),
        ] {
            let client = try TestClient(transport)
            client.network.stub(.any, fault.response(from: sample))

            let (data, response) = try await client.session.exchange(client.request())

            #expect(data.text == text)
            #expect(response.contentLength == length.map { _ in "\(data.count)" })
        }
    }
}

extension HTTPURLResponse {
    fileprivate var contentLength: String? { value(forHTTPHeaderField: "Content-Length") }
}
