import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

@Suite(.limited) struct ArchiveWritingTests {
    /// The file of one exchange, with every field that the standard requires.
    static func wordings() async throws -> Wordings {
        let folder = try TemporaryFolder()
        var request = URLRequest.test("users", method: "POST", body: #"{"age":7}"#)
        request.url?.append(queryItems: [URLQueryItem(name: "page", value: "2")])
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        var exchange = try await HTTPArchive.Exchange.recorded(
            .json(#"{"name":"Emma"}"#, status: 201, headers: ["Server": "a/1"]), to: request)
        exchange.startDate = Date(timeIntervalSince1970: 1_795_341_600.25)
        let file = folder.url.appending(path: "users.har")
        try HTTPArchive([exchange]).write(to: file)
        return Wordings("The file of a recording", try String(contentsOf: file, encoding: .utf8))
    }

    /// A response, and the piece that the file must have.
    static let responses: [(String, MockResponse)] = [
        ("text", .text("one\n\"two\"\t\\three\u{0}\u{1F600}")),
        ("bytes", .data(Data([0, 255, 13, 10, 34]))),
        ("an empty body", .status(204)),
        (
            "cookies",
            .status(200).header("Set-Cookie", "a=1; Expires=Mon, 01 Jan 2035 00:00:00 GMT").header(
                "Set-Cookie", "b=2")
        ),
        ("a repeated field", .status(200).addingHeader("Link", "<a>").addingHeader("Link", "<b>")),
        ("pieces", .chunks(["one", "two", "three"])),
        ("events", .events(["1", "2"], until: "[DONE]")),
        ("an error", .error(.timedOut)),
        ("an error in the body", .text("hello").failing(afterBytes: 3, with: .timedOut)),
        ("compressed", .text("decoded", headers: ["Content-Encoding": "gzip"])),
        ("a redirect", .redirect(to: "https://b.example/?a=1#b")),
    ]

    @Test func aRoundTripKeepsTheAnswer() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "trip.har")
        await forEachRow(Self.responses, named: \.0) { row, comment in
            let first = try await HTTPArchive.Exchange.recorded(row.1)
            try HTTPArchive([first]).write(to: file, redacting: .none)
            let second = try #require(try HTTPArchive(contentsOf: file).first, comment)

            #expect(second.response?.statusCode == first.response?.statusCode, comment)
            #expect(second.fields == first.fields, comment)
            #expect(second.body == first.body, comment)
            #expect(second.pieces == first.pieces, comment)
            #expect(second.error?.code == first.error?.code, comment)

            let written = try Data(contentsOf: file)
            try HTTPArchive([second]).write(to: file, redacting: .none)
            #expect(try Data(contentsOf: file) == written, comment)
        }
    }

    @Test(arguments: [Transport.urlProtocol, .direct])
    func aReplayGivesTheAnswerOfTheRecording(_ transport: Transport) async throws {
        await forEachRow(
            Self.responses.filter { !["a redirect", "an error in the body"].contains($0.0) },
            named: \.0
        ) { row, comment in
            let first = try await HTTPArchive.Exchange.recorded(row.1)
            let network = MockNetwork()
            network.stub(HTTPArchive([first]))
            let (session, _) = try transport.open(network)
            let result = await Result { try await session.exchange(first.request) }

            switch result {
            case .success(let (data, response)):
                #expect(data == first.body, comment)
                #expect(response.statusCode == first.response?.statusCode, comment)
            case .failure(let error):
                #expect((error as? URLError)?.code == first.error?.code, comment)
            }
            try network.verify()
        }
    }

    @Test func anArchiveIsEditedAsACollection() async throws {
        let one = try await HTTPArchive.Exchange.recorded(.text("1"), to: .test("one"))
        var archive = HTTPArchive([one])
        archive.append(try await .recorded(.text("2"), to: .test("two")))
        archive[1].body = Data("edited".utf8)
        archive.removeAll { $0.request.url?.path == "/one" }

        let network = MockNetwork()
        network.stub(archive)
        #expect(try await network.exchange(.test("two")).0.text == "edited")
    }

    @Test func aFolderThatCannotBeWrittenLeavesTheFile() async throws {
        let archive = HTTPArchive([try await HTTPArchive.Exchange.recorded(.text("new"))])
        let folder = try TemporaryFolder()
        let missing = folder.url.appending(path: "none/users.har")
        #expect(throws: (any Error).self) { try archive.write(to: missing) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func aFailedTestLeavesItsTraffic() async throws {
        let network = MockNetwork()
        network.stub(.get("/users/7"), .json("{}"))
        let session = network
        _ = try await session.exchange(.test("users/7"))
        _ = try? await session.exchange(.test("users/8"))
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "failed.har")

        try HTTPArchive(network.requests).write(to: file)

        let archive = try HTTPArchive(contentsOf: file)
        #expect(archive.map { $0.response?.statusCode } == [200, nil])
        #expect(try String(contentsOf: file, encoding: .utf8).contains("No stub answers GET"))
    }
}

extension HTTPArchive.Exchange {
    fileprivate var fields: [String: String]? { response?.allHeaderFields as? [String: String] }
}
