import Foundation
import TestSupport
import Testing

@testable import APIKitLite

/// Not inferred to be `Sendable`, because it is public. Each test has its own type, because a
/// type is reported once.
public struct LargeRequest<Test>: APIRequest {
    public func makeRequest(from id: Int) throws -> URLRequest { .test("large/\(id)") }
    public func parseResponse(data: Data) throws -> Int { data.count }
}

@MainActor @Suite(.limited) struct MainActorParsingTests {
    struct SendableRequest: APIRequest, Sendable {
        func makeRequest(from id: Int) throws -> URLRequest { .test("large/\(id)") }
        func parseResponse(data: Data) throws -> Int { data.count }
    }

    /// Returns the warnings of a function.
    private func warnings(of body: () async throws -> Void) async rethrows -> [String] {
        let texts = Locked<[String]>([])
        let record: @Sendable (String) -> Void = { text in texts.withLock { $0.append(text) } }
        try await MainActorParsing.$warn.withValue(record) { try await body() }
        return texts.withLock { $0 }
    }

    private func loader<R: APIRequest>(
        _ request: R, byteCount: Int = MainActorParsing.limit
    ) -> APIRequestLoader<R> {
        APIRequestLoader(
            apiRequest: request, urlSession: FixedSession(Data(count: byteCount)))
    }

    #if DEBUG
    @Test func warnsOnceForEachType() async throws {
        enum First {}
        enum Second {}

        let texts = try await warnings {
            for id in 1...3 { _ = try await loader(LargeRequest<First>()).load(id) }
            _ = try await loader(LargeRequest<Second>()).load(1)
        }

        #expect(
            texts == [
                MainActorParsing.text(for: LargeRequest<First>.self, byteCount: 100_000),
                MainActorParsing.text(for: LargeRequest<Second>.self, byteCount: 100_000),
            ])
    }

    @Test func warnsOfAGenericFunctionWithoutConstraints() async throws {
        struct Hidden: APIRequest {
            func makeRequest(from id: Int) throws -> URLRequest { .test("large/\(id)") }
            func parseResponse(data: Data) throws -> Int { data.count }
        }
        func load<R: APIRequest>(_ request: R, _ input: R.RequestDataType) async throws {
            _ = try await FixedSession(Data(count: 100_000)).load(request, input)
        }

        let texts = try await warnings { try await load(Hidden(), 1) }

        #expect(texts == [MainActorParsing.text(for: Hidden.self, byteCount: 100_000)])
    }
    #endif

    @Test func isSilentBelowTheLimit() async throws {
        enum Small {}

        let texts = try await warnings {
            _ = try await loader(LargeRequest<Small>(), byteCount: 99_999).load(1)
        }

        #expect(texts.isEmpty)
    }

    @Test func isSilentInTheBackground() async throws {
        enum Background {}

        let texts = try await warnings {
            _ = try await loader(SendableRequest()).load(1)
            try await Self.loadInTheBackground(LargeRequest<Background>.self)
        }

        #expect(texts.isEmpty)
    }

    @concurrent
    private static func loadInTheBackground<Test>(_: LargeRequest<Test>.Type) async throws {
        let loader = APIRequestLoader(
            apiRequest: LargeRequest<Test>(), urlSession: FixedSession(Data(count: 200_000)))
        _ = try await loader.load(1)
    }

    @Test func namesWhatToDeclareOnOneLine() {
        struct PlainRequest: APIRequest {
            typealias ResponseDataType = [Int]
            func makeRequest(from text: String) throws -> URLRequest { .test(text) }
        }

        #expect(
            MainActorParsing.text(for: PlainRequest.self, byteCount: 123_456)
                == "APIKitLite: PlainRequest is not Sendable where it is loaded, so its response"
                + " of 123,456 bytes was parsed on the main actor. To parse in the background,"
                + " declare PlainRequest and its input String Sendable."
                + " In a module whose default isolation is the main actor, declare them and the"
                + " output Array<Int> nonisolated too. In a generic function, constrain both to"
                + " Sendable.")
    }
}
