import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// The samples of Observing.md.
@Suite(.limited, .usesSockets) struct ObservingSamples {
    typealias UserRequest = TestingSamples.UserRequest

    @Test func reportsEachAttempt() async throws {
        let network = MockNetwork()
        network.stub(.any, .status(503), .text("Emma"))
        let (stream, events) = AsyncStream.makeStream(of: ExchangeEvent.self)
        let session = MockURLSession(network)
            .observed(clock: MockClock()) { events.yield($0) }
            .retrying(random: { 0 })
        let request = try UserRequest().makeRequest(from: 42)

        _ = try await session.exchange(request)

        events.finish()
        #expect(
            await stream.reduce(into: []) { $0.append($1) } == [
                .started(id: 1, request),
                .answered(id: 1, request, status: 503, bytes: 0, after: .zero),
                .started(id: 2, request),
                .answered(id: 2, request, status: 200, bytes: 4, after: .zero),
            ])
    }

    @Test func reportsALoadThatWasRejected() async throws {
        let network = MockNetwork()
        network.stub(.any, .json(#"{"nom": "Emma"}"#))
        let (stream, events) = AsyncStream.makeStream(of: ExchangeEvent.self)
        let session = MockURLSession(network).observed { events.yield($0) }.retrying()
        let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: session)

        _ = try? await loader.load(42)

        events.finish()
        let last = await stream.reduce(nil) { $1 }
        guard case .rejected(let error) = last else {
            Issue.record("The last event is \(String(describing: last)).")
            return
        }
        #expect(error.stage == .parse)
    }

    @Test func sharesOneCount() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("Emma"))
        let messages = Locked<[String]>([])

        let log = ExchangeObserver(clock: MockClock()) { event in
            messages.withLock { $0.append("\(event)") }
        }
        let users = MockURLSession(network).observed(by: log)
        let images = MockURLSession(network).retrying().observed(by: log)

        let request = try UserRequest().makeRequest(from: 42)
        _ = try await users.exchange(request)
        _ = try await images.exchange(request)
        let text = messages.withLock { $0.joined(separator: "\n") }
        try expectPage("Observing.md", toShow: text)
    }
}
