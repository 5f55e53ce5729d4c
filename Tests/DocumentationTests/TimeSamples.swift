import APIKitLite
import APIKitLiteTesting
import Observation
import TestSupport

/// Suspends until a condition on the state of an `@Observable` model holds.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor func waitUntil(_ isTrue: () -> Bool) async {
    while !isTrue() && !Task.isCancelled {
        let (changes, change) = AsyncStream<Void>.makeStream()
        withObservationTracking {
            _ = isTrue()
        } onChange: {
            change.finish()
        }
        for await _ in changes {}
    }
}

private typealias UserRequest = ClientSamples.UserRequest

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor @Observable private final class UserModel {
    private(set) var name: String?
    private let session: any HTTPSession

    init(_ session: any HTTPSession) { self.session = session }

    func refresh() { Task { name = try? await session.load(UserRequest(), 42).name } }
}

/// The samples of Time.md.
@Suite(.limited) struct TimeSamples {
    typealias User = TestingSamples.User

    @Test func retriesAfterA503() async throws {
        let clock = MockClock()
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .status(503), .json(#"{"name": "Emma"}"#))
        let session = network.retrying(clock: clock, random: { 1 })

        async let user = session.load(UserRequest(), 42)
        await clock.waitForSleepers()
        #expect(clock.pending == [.milliseconds(500)])
        await clock.advance(by: .milliseconds(500))

        #expect(try await user == User(name: "Emma"))
        #expect(network.requests.count == 2)
    }

    @Test func showsALoadingState() async throws {
        let network = MockNetwork()
        let stub = network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#).held)

        async let load = network.load(UserRequest(), 42)
        await stub.waitForRequests()
        // The request is under way: check the loading state here.
        stub.release()

        let user = try await load
        #expect(user.name == "Emma")
    }

    @Test @MainActor func showsTheName() async throws {
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return }
        let network = MockNetwork()
        network.stub(.get("/users/{id}"), .json(#"{"name": "Emma"}"#))

        let model = UserModel(network)
        model.refresh()
        await waitUntil { model.name == "Emma" }
    }

    @Test @MainActor func stopsWaitingWhenItIsCancelled() async {
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return }
        let model = UserModel(MockNetwork())

        let wait = Task { await waitUntil { model.name == "Emma" } }
        await Task.yield()
        wait.cancel()
        await wait.value

        #expect(model.name != "Emma")
    }
}
