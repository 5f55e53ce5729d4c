import TestSupport

@testable import APIKitLiteTesting

extension MockNetwork {
    /// A network that gives these responses to requests of any kind, and then repeats the last one.
    /// It expects at least one request.
    convenience init(
        _ first: MockResponse, _ more: MockResponse..., clock: (any Clock<Duration>)? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(clock: clock)
        _ = core.add(
            .any, .responses([first] + more, then: .repeatLast), times: .atLeast(1),
            sourceLocation: "\(fileID):\(line)")
    }
}

extension TestClient {
    /// A client of a network that gives one response to every request, and its stub.
    static func stubbed(
        _ transport: Transport = .direct, clock: MockClock? = nil,
        _ response: MockResponse = .stream()
    ) throws -> (client: TestClient, stub: Stub) {
        let client = try TestClient(transport, MockNetwork(clock: clock))
        return (client, client.network.stub(.any, response))
    }
}

extension HTTPSession {
    /// The text of the `MockError` of a request.
    func mockError(
        _ request: URLRequest = .test("a"), _ comment: @autoclosure () -> Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        try await #require(
            throws: MockError.self, comment(), sourceLocation: sourceLocation
        ) { try await exchange(request) }.description
    }
}

/// The code of the `URLError` that the work throws.
func urlErrorCode<Result>(
    isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation, of work: () async throws -> Result
) async -> URLError.Code? {
    let error = await #expect(throws: URLError.self, sourceLocation: sourceLocation) {
        _ = try await work()
    }
    return error?.code
}

extension SentPiece {
    /// The piece as text. Bytes that are not UTF-8 become U+FFFD.
    var text: String { data.text }
}
