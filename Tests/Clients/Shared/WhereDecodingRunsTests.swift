import APIKitLite
import TestSupport

// Where a response is parsed that the main actor loads. Each setting of the compiler builds this
// file; what a module without annotations does is tested beside it.

/// The compiler infers that it is `Sendable`.
nonisolated struct InternalRequest: APIRequest {
    func makeRequest(from id: Int) throws -> URLRequest { .test("places/\(id)") }
    func parseResponse(data: Data) throws -> RunningPlace { .current }
}

/// The compiler infers `Sendable` for no public type.
nonisolated public struct PublicRequest: APIRequest {
    public init() {}
    public func makeRequest(from id: Int) throws -> URLRequest { .test("places/\(id)") }
    public func parseResponse(data: Data) throws -> Place { Place(value: .current) }
}

nonisolated public struct PublicSendableRequest: APIRequest, Sendable {
    public func makeRequest(from id: Int) throws -> URLRequest { .test("places/\(id)") }
    public func parseResponse(data: Data) throws -> SendablePlace { SendablePlace(value: .current) }
}

/// Its output is not `Sendable`.
nonisolated struct PublicOutputRequest: APIRequest {
    func makeRequest(from data: Void) throws -> URLRequest { .test("places") }
    func parseResponse(data: Data) throws -> Place { Place(value: .current) }
}

nonisolated public struct Place { var value: RunningPlace }

nonisolated public struct SendablePlace: Sendable { var value: RunningPlace }

nonisolated struct DecodedPlace: Decodable {
    let value: RunningPlace

    init(from decoder: any Decoder) throws { value = .current }
}

/// Its initializer and its conformance are public, and it is not `Sendable`.
nonisolated public final class PlaceObject: Decodable {
    let value: RunningPlace

    public init(from decoder: any Decoder) throws { value = .current }
}

@MainActor @Suite(.limited) struct WhereDecodingRunsTests {
    let session: any HTTPSession = FixedSession()

    private func loader<R: APIRequest>(_ request: R) -> APIRequestLoader<R> {
        APIRequestLoader(apiRequest: request, urlSession: session)
    }

    @Test func aLoaderParsesASendableRequestInTheBackground() async throws {
        #expect(try await loader(InternalRequest()).load(1) == .background)
        #expect(try await loader(InternalRequest()).response(for: 1).value == .background)
        #expect(try await loader(PublicSendableRequest()).load(1).value == .background)
        #expect(try await loader(PublicRequest()).load(1).value == .mainActor)
        #expect(try await loader(PublicRequest()).response(for: 1).value.value == .mainActor)
        #expect(try await loader(PublicOutputRequest()).load(()).value == .background)
    }

    @Test func aSessionParsesWhereALoaderDoes() async throws {
        #expect(try await session.load(InternalRequest(), 1) == .background)
        #expect(try await session.response(InternalRequest(), for: 1).value == .background)
        #expect(try await session.load(PublicSendableRequest(), 1).value == .background)
        #expect(try await session.load(PublicRequest(), 1).value == .mainActor)
        #expect(try await session.response(PublicRequest(), for: 1).value.value == .mainActor)
        #expect(try await session.load(PublicOutputRequest()).value == .background)
        #expect(
            try await session.response(PublicOutputRequest(), for: ()).value.value == .background)
        #expect(try await FixedSession().load(PublicRequest(), 1).value == .mainActor)
        let stored = PublicRequest()
        #expect(try await session.load(stored, 1).value == .mainActor)
        #expect(try await session.load(stored, 2).value == .mainActor)
    }

    @Test func aClosureOfAVerbParsesInTheBackground() async throws {
        let request = URLRequest.test("places")
        #expect(try await session.load(request) { _, _ in .current } == RunningPlace.background)
        let response = try await session.response(request) { _, _ in RunningPlace.current }
        #expect(response.value == .background)
    }

    @Test func anOutputThatIsNotSendableIsDecodedInTheBackground() async throws {
        let request = URLRequest.test("places")
        #expect(try await session.load(request, as: DecodedPlace.self).value == .background)
        #expect(try await session.load(request, as: PlaceObject.self).value == .background)
        #expect(
            try await session.response(request, as: PlaceObject.self).value.value == .background)
    }

    /// The conformance of such an output may belong to the caller's actor.
    @Test func aGenericOutputIsDecodedOnTheCallersActor() async throws {
        let request = URLRequest.test("places")
        func get<T: Decodable>(_ type: T.Type) async throws -> T {
            try await session.load(request, as: T.self)
        }
        func response<T: Decodable>(_ type: T.Type) async throws -> T {
            try await session.response(request, as: T.self).value
        }
        func sendable<T: Decodable & Sendable>(_ type: T.Type) async throws -> T {
            try await session.load(request, as: T.self)
        }

        #expect(try await get(DecodedPlace.self).value == .mainActor)
        #expect(try await response(PlaceObject.self).value == .mainActor)
        #expect(try await sendable(DecodedPlace.self).value == .background)
    }

    @Test func aGenericFunctionNeedsTheConstraints() async throws {
        func unconstrained<R: APIRequest>(
            _ request: R, _ input: R.RequestDataType
        ) async throws -> [R.ResponseDataType] {
            [try await session.load(request, input), try await loader(request).load(input)]
        }
        func halfConstrained<R: APIRequest & Sendable>(
            _ request: R, _ input: R.RequestDataType
        ) async throws -> R.ResponseDataType {
            try await loader(request).load(input)
        }
        func constrained<R: APIRequest & Sendable>(
            _ request: R, _ input: R.RequestDataType
        ) async throws -> [R.ResponseDataType]
        where R.RequestDataType: Sendable {
            [try await session.load(request, input), try await loader(request).load(input)]
        }

        #expect(try await unconstrained(InternalRequest(), 1) == [.mainActor, .mainActor])
        #expect(try await halfConstrained(InternalRequest(), 1) == .mainActor)
        #expect(try await constrained(InternalRequest(), 1) == [.background, .background])
    }

    @Test func aClosureParsesWhereAFunctionDoes() async throws {
        let load = { @MainActor in try await session.load(PublicRequest(), 1).value }
        let loaderLoad = { @MainActor in try await loader(PublicRequest()).load(1).value }
        let detached = Task.detached { [session] in
            try await APIRequestLoader(apiRequest: PublicRequest(), urlSession: session).load(1)
                .value
        }

        #expect(try await load() == .mainActor)
        #expect(try await loaderLoad() == .mainActor)
        #expect(try await detached.value == .background)
    }

    /// As in the client of a package: neither the function nor its output belongs to an actor.
    nonisolated private func decode<T: Decodable>() async throws(APIRequestError) -> T {
        let session = ClosureSession { _ in (Data("{}".utf8), HTTPURLResponse.status(200)) }
        return try await session.load(.test("places"), as: T.self)
    }

    @Test func aNonisolatedGenericFunctionDecodes() async throws {
        let object: DecodedPlace = try await decode()
        #expect(object.value == .background)
    }

    private actor Reader {
        let first = APIRequestLoader(apiRequest: InternalRequest(), urlSession: FixedSession())
        let second = APIRequestLoader(apiRequest: PublicRequest(), urlSession: FixedSession())

        func places() async throws(APIRequestError) -> [RunningPlace] {
            [try await first.load(1), try await second.load(1).value]
        }
    }

    @Test func anActorLoads() async throws {
        #expect(try await Reader().places() == [.background, .background])
    }

    @Test func theCompletionFormParsesInTheBackground() async {
        let place = await withCheckedContinuation { continuation in
            loader(PublicRequest()).loadAPIRequest(requestData: 1) { place, _ in
                continuation.resume(returning: place?.value)
            }
        }

        #expect(place == .background)
    }
}
