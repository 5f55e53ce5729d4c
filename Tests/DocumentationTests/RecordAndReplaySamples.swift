import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

struct KeptRequests: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal static var network = MockNetwork()

    var folder = FileManager.default.temporaryDirectory
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let network = MockNetwork()
        let file = folder.appending(path: "\(UUID()).har")
        @Sendable func keep() {
            try? HTTPArchive(network.requests).write(to: file)
        }
        let onIssue: IssueHandlingTrait = .compactMapIssues { issue in
            keep()
            return issue
        }
        defer {
            if let data = try? Data(contentsOf: file) {
                Attachment.record(data, named: "requests.har")
            }
        }
        try await onIssue.provideScope(for: test, testCase: testCase) {
            do {
                try await Self.$network.withValue(network) {
                    try await function()
                }
            } catch {
                keep()
                throw error
            }
        }
    }
}

extension Trait where Self == KeptRequests {
    static var keepingRequests: Self { Self() }
}

@Suite(.keepingRequests) struct RecordedUserTests {
    @Test func loadsAUser() async throws {
        let network = KeptRequests.network
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))
        let loader = APIRequestLoader(
            apiRequest: RecordAndReplaySamples.request, urlSession: network.urlSession)

        #expect(try await loader.load(42).name == "Emma")
    }
}

/// The samples of RecordAndReplay.md.
@Suite(.limited) struct RecordAndReplaySamples {
    struct User: Codable, Equatable, Sendable {
        var name: String
    }

    struct UserRequest: APIRequest {
        typealias ResponseDataType = User

        let baseURL: URL

        func makeRequest(from id: Int) throws -> URLRequest {
            try URLRequest("GET", baseURL, path: "/users/{id}", ["id": id])
        }
    }

    static let request = UserRequest(baseURL: URL(string: "http://127.0.0.1:8808")!)
    private var request: UserRequest { Self.request }
    private let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Recordings/users.har")
    private let temporaryFolder: TemporaryFolder

    init() throws {
        temporaryFolder = try TemporaryFolder()
    }

    @Test func loadsAUser() async throws {
        try await withMockNetwork(replaying: "users") { network in
            let loader = APIRequestLoader(
                apiRequest: request, urlSession: network.urlSession)
            let user = try await loader.load(42)
            #expect(user.name == "Emma")
        }
    }

    @Test func theRecordingsContainNoSecrets() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Recordings")
        try HTTPArchive.checkSecrets(
            in: folder, redacting: .standard.showing("progressToken"))
    }

    @Test func editsAnArchive() async throws {
        let network = MockNetwork()

        var archive = try HTTPArchive(contentsOf: file)
        archive.removeAll { $0.request.url?.path() != "/users/42" }
        archive[0].body = Data(#"{"name": "Zoë"}"#.utf8)
        network.stub(archive, then: .repeatLast)

        let loader = APIRequestLoader(apiRequest: request, urlSession: network.urlSession)
        for _ in 0..<2 { #expect(try await loader.load(42).name == "Zoë") }
    }

    @Test func survivesTheFaultsOfARecordedAnswer() async throws {
        let archive = try HTTPArchive(contentsOf: file)

        try await forEachFault(in: .exchange(archive[0])) { network in
            let loader = APIRequestLoader(
                apiRequest: request, urlSession: network.urlSession)
            return try await loader.load(42)
        }
    }

    @Test func namesTheModelThatBreaks() async throws {
        let server = MockNetwork()
        server.stub(.get("/users/{id}"), .json(#"{"fullName": "Emma", "age": 31}"#))
        let session = MockURLSession(server)

        let archive = try HTTPArchive(contentsOf: file)
        #expect(try requiredKeys(of: request, in: archive[0]) == ["$.name"])
        let report = await archive.drift(over: session, parsedBy: request)
        #expect(!report.violations.isEmpty)

        try expectPage("RecordAndReplay.md", toShow: report.description)
    }

    @Test func keepsTheRequestsOfATestThatThrows() async throws {
        let (trait, test) = (KeptRequests(folder: temporaryFolder.url), try #require(Test.current))
        await #expect(throws: TestError.self) {
            try await trait.provideScope(for: test, testCase: nil) {
                try await Self.sendARequest()
                throw TestError()
            }
        }

        try expectArchive(in: trait.folder)
    }

    @Test func keepsTheRequestsOfATestWithAnIssue() async throws {
        let (trait, test) = (KeptRequests(folder: temporaryFolder.url), try #require(Test.current))
        await withKnownIssue {
            try await trait.provideScope(for: test, testCase: nil) {
                try await Self.sendARequest()
                Issue.record("The trait sees this issue.")
            }
        }

        try expectArchive(in: trait.folder)
    }

    @Test func keepsNothingOfATestThatPasses() async throws {
        let (trait, test) = (KeptRequests(folder: temporaryFolder.url), try #require(Test.current))
        try await trait.provideScope(for: test, testCase: nil) { try await Self.sendARequest() }

        #expect(try FileManager.default.contentsOfDirectory(atPath: trait.folder.path) == [])
    }

    private static func sendARequest() async throws {
        KeptRequests.network.stub(.any, .json(#"{"token": "hunter2-hunter2"}"#))
        let session = MockURLSession(KeptRequests.network)
        _ = try await session.exchange(request.makeRequest(from: 42))
    }

    private func expectArchive(
        in folder: URL, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        let file = try #require(files.first, sourceLocation: location)
        let bodies = try HTTPArchive(contentsOf: file).map(\.body)
        #expect(bodies == [Data(#"{"token": "REDACTED-1"}"#.utf8)], sourceLocation: location)
    }
}
