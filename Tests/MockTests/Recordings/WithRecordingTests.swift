import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

/// `withMockNetwork(replaying:)`: recording and replaying a file beside the test.
@Suite(.limited) struct WithRecordingTests {
    private let folder: TemporaryFolder
    private let written = StandardErrorRecorder.recordings
    private var file: URL { folder.url.appending(path: "Recordings/users.har") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func recording(_ name: String = "users") -> RecordingFile {
        RecordingFile(
            name: name, besideFile: folder.url.appending(path: "UserTests.swift").path,
            function: "loadsAUser()")
    }

    /// A server that a recording asks.
    private static func server() -> MockNetwork {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name":"Emma"}"#), times: .any)
        return network
    }

    @Test(.usesSockets, arguments: [Transport.urlProtocol, .direct])
    func aRecordedTestPassesWithoutItsServer(_ transport: Transport) async throws {
        let server = MockNetwork()
        server.stub(.get("/users/{id}"), .json(#"{"name":"Emma"}"#))
        let events = server.stub(.get("/events"), .stream())
        func body(_ network: MockNetwork, send: (String?) async throws -> Void) async throws {
            let (session, _) = try transport.open(network)
            #expect(try await session.exchange(.test("users/7")).0.text == #"{"name":"Emma"}"#)
            async let opened = session.stream(.test("events")).0
            try await send("data: 1\n\n")
            var text = ""
            for try await piece in try await opened {
                text += piece.text
                if text == "data: 1\n\n" {
                    try await send("data: 2\n\n")
                    try await send(nil)
                }
            }
            #expect(text == "data: 1\n\ndata: 2\n\n")
        }
        try await recording().record(over: server, at: "Tests.swift:1") { network in
            try await body(network) { text in
                if let text { try await events.send(text) } else { try await events.finish() }
            }
        }
        #expect(written.texts.contains("Recorded 2 exchanges: \(file.path)\n"))
        let archive = try HTTPArchive(contentsOf: file)
        #expect(archive.count == 2)
        #expect(archive[1].pieces.map(\.text) == ["data: 1\n\n", "data: 2\n\n"])

        let network = MockNetwork.replaying(archive)
        try await body(network) { _ in }
        try network.verify()
    }

    @Test func aResumedDownloadIsReplayed() async throws {
        let whole = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0) })
        let server = MockNetwork()
        server.stub(
            .get("/file"), .data(whole, headers: ["ETag": "\"1\""]).failing(afterBytes: 2_000))
        server.stub(
            .get("/file").header("Range", "bytes=2000-"),
            .data(
                whole.dropFirst(2_000), status: 206,
                headers: ["ETag": "\"1\"", "Content-Range": "bytes 2000-4999/5000"]))
        func body(_ network: MockNetwork) async throws {
            let target = folder.url.appending(path: "file.bin")
            try? FileManager.default.removeItem(at: target)
            await #expect(throws: APIRequestError.self) {
                try await network.download(.test("file"), to: target)
            }
            let response = try await network.download(.test("file"), to: target)
            #expect(response.statusCode == 206)
            #expect(try Data(contentsOf: target) == whole)
        }
        try await recording().record(over: server, at: "Tests.swift:1", body)
        let archive = try HTTPArchive(contentsOf: file)
        #expect(archive[0].response?.value(forHTTPHeaderField: "Content-Length") == "5000")

        let network = MockNetwork.replaying(archive)
        try await body(network)
        try network.verify()
    }

    @Test(.usesSockets, arguments: [Transport.urlProtocol, .direct])
    func aResponseThatWasCutKeepsItsLength(_ transport: Transport) async throws {
        for end in [#", "_ending": "left""#, #", "_error": "networkConnectionLost""#] {
            let network = try MockNetwork.replaying(
                entry(
                    headers: #"{"name": "Content-Length", "value": "5000"}"#, text: "abc",
                    response: end))
            let (session, _) = try transport.open(network)
            let (_, response) = try await session.stream(.test("users/7"))
            #expect(response.value(forHTTPHeaderField: "Content-Length") == "5000")
        }
    }

    @Test func theEnvironmentNamesTheRecordings() throws {
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data().write(to: folder.appending(path: "orders.har"))
        // The value, whether it requests the recording "users", and the name that has no file.
        let rows: [(String?, Bool, String?)] = [
            (nil, false, nil), ("", false, nil), (" , ", false, nil), ("users", true, nil),
            ("orders, users", true, nil), ("1,users", true, nil), ("all", true, nil),
            ("orders", false, nil), ("orders, 1", false, "1"), ("1", false, "1"),
            ("true", false, "true"), ("ture", false, "ture"), ("Yes", false, "Yes"),
            ("0", false, "0"), ("ALL", false, "ALL"), ("Users", false, "Users"),
            ("Orders", false, "Orders"), ("user", false, "user"),
            ("users.har", false, "users.har"), ("Recordings/orders", false, "Recordings/orders"),
        ]
        for (value, isRequested, name) in rows {
            let environment = value.map { ["APIKITLITE_RECORD": $0] } ?? [:]
            let comment = Comment(rawValue: value ?? "none")
            let earlier = written.texts.filter { $0.contains(folder.path) }
            // The second call reports nothing.
            for _ in 1...2 {
                #expect(recording().isRequested(by: environment) == isRequested, comment)
            }
            let texts = written.texts.filter { $0.contains(folder.path) }.dropFirst(earlier.count)
            let expected = name.map {
                """
                Not recorded: "users". APIKITLITE_RECORD names "\($0)", but \(folder.path) has no \
                "\($0).har" yet. The value must be names of recordings, separated by commas, or \
                "all". If that recording is in another folder, ignore this message.

                """
            }
            #expect(Array(texts) == [expected].compactMap(\.self), comment)
        }
    }

    @Test func aMissingRecordingSaysHowToMakeIt() async throws {
        let error = await #expect(throws: HTTPArchiveError.self) {
            try await withMockNetwork(replaying: "missing", fileID: "A/B.swift", line: 7) { _ in }
        }
        let lines = try #require(error).description.split(separator: "\n")
        #expect(lines[0] == #"There is no recording "missing" (A/B.swift:7). Looked for:"#)
        let folder = URL(filePath: #filePath).deletingLastPathComponent().path
        #expect(lines[1] == "  \(folder)/Recordings/missing.har")
        #expect(
            lines.contains(
                "Record it from the real server: APIKITLITE_RECORD=missing swift test --filter "
                    + "aMissingRecordingSaysHowToMakeIt"))
    }

    @Test func anUnknownRequestSaysHowToRecordAgain() async throws {
        let error = await #expect(throws: VerificationError.self) {
            try await withMockNetwork(replaying: "user") { network in
                _ = try? await network.exchange(.test("users/8"))
            }
        }
        let text = try #require(error).description
        for part in [
            #"There is no response in the recording "user" to GET"#, "Not used: GET ",
            "APIKITLITE_RECORD=user swift test --filter anUnknownRequestSaysHowToRecordAgain",
        ] {
            #expect(text.contains(part), "\(text)")
        }
    }

    /// The reasons why nothing is written.
    enum Reason: CaseIterable {
        case bodyThrew, noResponse, secret
    }

    @Test(arguments: Reason.allCases)
    func nothingIsWrittenUnlessTheTestEndsWell(_ reason: Reason) async throws {
        let server = MockNetwork()
        let secret = Data([0, 255, 32]) + Data("AKIAIOSFODNN7EXAMPLE".utf8)
        server.stub(.any, .data(secret), times: .any)
        await #expect(throws: (any Error).self) {
            try await recording("\(reason)").record(
                over: server, only: .get("/users/7"), at: "Tests.swift:1"
            ) { network in
                switch reason {
                case .bodyThrew: throw TestError()
                case .noResponse: _ = try? await network.exchange(.test("other"))
                case .secret: _ = try await network.exchange(.test("users/7"))
                }
            }
        }
        let file = folder.url.appending(path: "Recordings/\(reason).har")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func anErrorWhileRecordingHidesSecrets() async throws {
        let error = await #expect(throws: VerificationError.self) {
            try await recording("hidden").record(
                over: Self.server(), only: .get("/users/7"),
                redacting: .standard.adding("X-Device"), at: "Tests.swift:1"
            ) { network in
                _ = try? await network.exchange(.api("other?X-Device=s3cret"))
            }
        }
        let text = try #require(error).description
        #expect(text.contains("GET https://api.example.com/other?X-Device="), "\(text)")
        #expect(!text.contains("s3cret"), "\(text)")
    }

    @Test func aBodyThatIsTooLongIsNotRecorded() async throws {
        let server = MockNetwork { _ in (HTTPURLResponse(), Data(count: 65 << 20)) }
        let error = await #expect(throws: HTTPArchiveError.self) {
            try await recording().record(over: server, at: "Tests.swift:1") { network in
                _ = try await network.exchange(.test("users/7"))
            }
        }
        #expect(
            error?.description == """
                \(file.path) was not written. The network has not kept a body of GET \
                https://api.example.com/users/7: it keeps the bodies of its last 1,000 requests, and \
                up to 1 MiB of each response. Record such requests with withMockNetwork(replaying:), \
                up to 64 MiB of each response, or remove them from the archive.
                """)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func aFileIsRecordedByOneTestOfARun() async throws {
        try await recording().record(over: Self.server(), at: "Tests.swift:1") { network in
            _ = try await network.exchange(.test("users/7"))
        }
        let error = await #expect(throws: HTTPArchiveError.self) {
            try await recording().record(over: Self.server(), at: "Tests.swift:2") { _ in }
        }
        #expect(
            error?.description == """
                Another test of this run records "users" (\(file.path)). A recording belongs to one \
                test: record it with --filter, or give each test, and each case of a test, another name.
                """)
        #expect(try HTTPArchive(contentsOf: file).count == 1)
    }

    @Test func aFolderThatCannotBeWrittenIsNamed() async throws {
        try folder.write("", "Recordings")
        let error = await #expect(throws: HTTPArchiveError.self) {
            try await recording().record(over: Self.server(), at: "Tests.swift:1") { network in
                _ = try await network.exchange(.test("users/7"))
            }
        }
        #expect(error?.description.hasPrefix("\(file.path) cannot be written: ") == true)
    }
}
