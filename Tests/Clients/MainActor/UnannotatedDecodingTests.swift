import APIKitLite
import TestSupport

// Where a request without annotations is parsed, if the default isolation is the main actor.

/// Its conformance belongs to the main actor.
struct UnannotatedRequest: APIRequest {
    func makeRequest(from id: Int) throws -> URLRequest { .test("places/\(id)") }
    func parseResponse(data: Data) throws -> RunningPlace { .current }
}

public struct PublicUnannotatedRequest: APIRequest {
    public func makeRequest(from data: Void) throws -> URLRequest { .test("places") }
    public func parseResponse(data: Data) throws -> Place { Place(value: .current) }
}

/// Decoded by the library's default, on the main actor.
struct UnannotatedPlace: Decodable {
    let value: RunningPlace

    init(from decoder: any Decoder) throws { value = .current }
}

struct UnannotatedPlaceRequest: APIRequest {
    typealias ResponseDataType = UnannotatedPlace

    func makeRequest(from data: Void) throws -> URLRequest { .test("places") }
}

@Suite(.limited) struct UnannotatedDecodingTests {
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
        func get<T: Decodable>() async throws -> [T] {
            let request = URLRequest.test("places")
            let response = try await session.response(request, as: T.self)
            return [try await session.load(request, as: T.self), response.value]
        }

        let places: [UnannotatedPlace] = try await get()
        #expect(places.map(\.value) == [.mainActor, .mainActor])
        let nonisolated = try await session.load(.test("places"), as: DecodedPlace.self)
        #expect(nonisolated.value == .background)
    }

    @Test func aTaskParsesWhereAFunctionDoes() async throws {
        let unannotated = Task { try await session.load(UnannotatedRequest(), 1) }
        let nonisolated = Task { try await session.load(InternalRequest(), 1) }

        #expect(try await unannotated.value == .mainActor)
        #expect(try await nonisolated.value == .background)
    }

    @Test func twoRequestsAreLoadedAtTheSameTime() async throws {
        async let first = session.load(InternalRequest(), 1)
        async let second = session.load(.test("places"), as: DecodedPlace.self)
        let third = Task { try await session.load(UnannotatedRequest(), 1) }
        let fourth = Task { try await session.load(.test("places"), as: UnannotatedPlace.self) }

        #expect(try await first == .background)
        #expect(try await second.value == .background)
        #expect(try await third.value == .mainActor)
        #expect(try await fourth.value.value == .mainActor)
    }
}
