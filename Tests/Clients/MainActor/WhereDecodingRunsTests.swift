import APIKitLite
import Foundation
import TestSupport
import Testing

// Where a response is parsed in a module whose default isolation is the main actor.

/// Its conformance belongs to the main actor.
struct UnannotatedRequest: APIRequest {
    func makeRequest(from id: Int) throws -> URLRequest { .test("places/\(id)") }
    func parseResponse(data: Data) throws -> RunningPlace { .current }
}

public struct PublicUnannotatedRequest: APIRequest {
    public func makeRequest(from data: Void) throws -> URLRequest { .test("places") }
    public func parseResponse(data: Data) throws -> Place { Place(value: .current) }
}

nonisolated struct NonisolatedRequest: APIRequest {
    func makeRequest(from id: Int) throws -> URLRequest { .test("places/\(id)") }
    func parseResponse(data: Data) throws -> RunningPlace { .current }
}

/// Not inferred to be `Sendable`, because it is public.
nonisolated public struct PublicNonisolatedRequest: APIRequest {
    public func makeRequest(from id: Int) throws -> URLRequest { .test("places/\(id)") }
    public func parseResponse(data: Data) throws -> Place { Place(value: .current) }
}

nonisolated public struct PublicSendableRequest: APIRequest, Sendable {
    public func makeRequest(from id: Int) throws -> URLRequest { .test("places/\(id)") }
    public func parseResponse(data: Data) throws -> SendablePlace { SendablePlace(value: .current) }
}

nonisolated public struct Place {
    var value: RunningPlace
}

nonisolated public struct SendablePlace: Sendable {
    var value: RunningPlace
}

/// Decoded by the library's default, on the main actor.
struct UnannotatedPlace: Decodable {
    let value: RunningPlace

    init(from decoder: any Decoder) throws {
        value = .current
    }
}

struct UnannotatedPlaceRequest: APIRequest {
    typealias ResponseDataType = UnannotatedPlace

    func makeRequest(from data: Void) throws -> URLRequest { .test("places") }
}

nonisolated struct DecodedPlace: Decodable {
    let value: RunningPlace

    init(from decoder: any Decoder) throws {
        value = .current
    }
}

@Suite(.limited) struct WhereDecodingRunsTests {
    let session: any HTTPSession = FixedSession()

    private func loader<R: APIRequest>(_ request: R) -> APIRequestLoader<R> {
        APIRequestLoader(apiRequest: request, urlSession: session)
    }

    @Test func anUnannotatedRequestParsesOnTheMainActor() async throws {
        #expect(try await loader(UnannotatedRequest()).load(1) == .mainActor)
        #expect(try await session.load(UnannotatedRequest(), 1) == .mainActor)
        #expect(try await session.response(UnannotatedRequest(), for: 1).value == .mainActor)
        #expect(try await loader(PublicUnannotatedRequest()).load(()).value == .mainActor)
        #expect(try await session.load(PublicUnannotatedRequest()).value == .mainActor)
        #expect(try await session.load(UnannotatedPlaceRequest()).value == .mainActor)
        let request = URLRequest.test("places")
        #expect(try await session.load(request, as: UnannotatedPlace.self).value == .mainActor)
    }

    @Test func aGenericOutputIsDecodedOnTheMainActor() async throws {
        func get<T: Decodable>(_ path: String) async throws -> T {
            try await session.load(.test(path), as: T.self)
        }
        func response<T: Decodable>(_ path: String) async throws -> T {
            try await session.response(.test(path), as: T.self).value
        }

        let place: UnannotatedPlace = try await get("places")
        #expect(place.value == .mainActor)
        let answered: UnannotatedPlace = try await response("places")
        #expect(answered.value == .mainActor)
        let nonisolated = try await session.load(.test("places"), as: DecodedPlace.self)
        #expect(nonisolated.value == .background)
    }

    @Test func aNonisolatedRequestParsesInTheBackground() async throws {
        #expect(try await loader(NonisolatedRequest()).load(1) == .background)
        #expect(try await session.load(NonisolatedRequest(), 1) == .background)
        #expect(try await loader(PublicSendableRequest()).load(1).value == .background)
        #expect(try await session.load(PublicSendableRequest(), 1).value == .background)
        #expect(try await session.load(PublicNonisolatedRequest(), 1).value == .mainActor)
        #expect(try await loader(PublicNonisolatedRequest()).load(1).value == .mainActor)
    }

    @Test func aClosureOfAVerbParsesInTheBackground() async throws {
        let place = try await session.load(.test("places")) { _, _ in RunningPlace.current }

        #expect(place == .background)
    }

    @Test func aGenericFunctionNeedsTheConstraints() async throws {
        func unconstrained<R: APIRequest>(
            _ request: R, _ input: R.RequestDataType
        ) async throws -> R.ResponseDataType {
            try await session.load(request, input)
        }
        func constrained<R: APIRequest & Sendable>(
            _ request: R, _ input: R.RequestDataType
        ) async throws -> R.ResponseDataType
        where R.RequestDataType: Sendable {
            try await session.load(request, input)
        }

        #expect(try await unconstrained(NonisolatedRequest(), 1) == .mainActor)
        #expect(try await constrained(NonisolatedRequest(), 1) == .background)
    }

    @Test func aTaskParsesWhereAFunctionDoes() async throws {
        let unannotated = Task { try await session.load(UnannotatedRequest(), 1) }
        let nonisolated = Task { try await session.load(NonisolatedRequest(), 1) }

        #expect(try await unannotated.value == .mainActor)
        #expect(try await nonisolated.value == .background)
    }

    @Test func twoRequestsAreLoadedAtTheSameTime() async throws {
        async let first = session.load(NonisolatedRequest(), 1)
        async let second = session.load(.test("places"), as: DecodedPlace.self)
        let third = Task { try await session.load(UnannotatedRequest(), 1) }
        let fourth = Task { try await session.load(.test("places"), as: UnannotatedPlace.self) }

        #expect(try await first == .background)
        #expect(try await second.value == .background)
        #expect(try await third.value == .mainActor)
        #expect(try await fourth.value.value == .mainActor)
    }

    @Test func theCompletionFormParsesInTheBackground() async {
        let place = await withCheckedContinuation { continuation in
            loader(NonisolatedRequest()).loadAPIRequest(requestData: 1) { place, _ in
                continuation.resume(returning: place)
            }
        }

        #expect(place == .background)
    }
}
