import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

extension JSONDecoder.DateDecodingStrategy {
    static var iso8601WithFractions: Self {
        .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            let style = Date.ISO8601FormatStyle(
                includingFractionalSeconds: text.contains("."))
            guard let date = try? style.parse(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "\(text) is not a date of ISO 8601.")
            }
            return date
        }
    }
}

struct MockedNetwork: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal static var current: MockNetwork?

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withMockNetwork { network in
            try await Self.$current.withValue(network) { try await function() }
        }
    }
}

extension Trait where Self == MockedNetwork {
    static var mockedNetwork: Self { Self() }
}

@Suite(.mockedNetwork) struct BookTests {
    @Test func loadsABook() async throws {
        let network = try #require(MockedNetwork.current)
        network.stub(.get("/v1/books/{id}"), .json(#"{"title": "Emma"}"#))
        let api = BooksAPI(.production, over: MockURLSession(network))

        #expect(try await api.book(7).title == "Emma")
    }
}

/// The trait gives each case of a test its own network, and verifies it.
extension BookTests {
    @Test(arguments: 1...3)
    func hasANetworkForEachCase(_ id: Int) async throws {
        let network = try #require(MockedNetwork.current)
        network.stub(.get("/v1/books/\(id)"), .json(#"{"title": "Emma"}"#), times: .once)
        let api = BooksAPI(.production, over: MockURLSession(network))

        _ = try await api.book(id)

        #expect(network.requests.count == 1)
    }

    @Test func failsForAnUnusedStub() async throws {
        let test = try #require(Test.current)
        let error = await #expect(throws: VerificationError.self) {
            try await MockedNetwork().provideScope(for: test, testCase: nil) {
                MockedNetwork.current?.stub(.get("/v1/books"), .json("[]"))
            }
        }

        #expect("\(error as Any)".contains("/v1/books"))
    }
}

/// The samples of Recipes.md.
@Suite(.limited) struct RecipesSamples {
    @Test(arguments: [
        ("1970-01-01T00:00:01Z", 1), ("1970-01-01T00:00:01.250Z", 1.25), ("yesterday", nil),
    ])
    func decodesDatesWithAndWithoutFractions(_ text: String, _ seconds: Double?) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601WithFractions

        let dates = try? decoder.decode([Date].self, from: Data("[\"\(text)\"]".utf8))

        #expect(dates == seconds.map { [Date(timeIntervalSince1970: $0)] })
    }

    @Test func readsARedirect() async throws {
        let network = MockNetwork()
        network.stub(.get("/authorize"), .redirect(to: "app://signed-in?code=7"))
        let session = MockURLSession(network)
        let request = URLRequest(url: URL(string: "https://auth.example.com/authorize")!)

        let (_, response) = try await session.redirecting(.refuse).exchange(request)
        let location = response.value(forHTTPHeaderField: "Location")

        #expect(location == "app://signed-in?code=7")
    }

    /// Compiled only: it is a separate program.
    func servesAsAProgram() throws {
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#), times: .any)
        let server = try network.serve()
        print("Serving \(server.url)")
    }

    /// Compiled only: the signal would reach the whole test run.
    func endsWithControlC(_ session: any HTTPSession, _ request: URLRequest, _ file: URL) {
        let work = Task { try await session.download(request, to: file) }
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT)
        interrupt.setEventHandler { work.cancel() }
        interrupt.resume()
    }
}
