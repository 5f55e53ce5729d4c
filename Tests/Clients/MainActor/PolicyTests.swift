import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

// Nothing here is annotated either: a chain is built on the main actor, and its closures run off it.

final class Network {
    let session: any HTTPSession
    let log = Locked<[String]>([])

    init(session: any HTTPSession, clock: any Clock<Duration>, apiVersion: String) {
        let log = log
        self.session =
            session
            .intercepting { request, next in
                var request = request
                request.setValue(apiVersion, forHTTPHeaderField: "API-Version")
                return try await next(request)
            }
            .timingOut(after: .seconds(30), clock: clock)
            .retrying(.standard, clock: clock, random: { 0 }, now: { Date() })
            .observed(clock: clock) { event in log.withLock { $0.append("\(event)") } }
    }
}

@Suite(.limited, .usesSockets) struct PolicyTests {
    @Test func aChainIsBuiltOnTheMainActor() async throws {
        let network = MockNetwork()
        network.stub(
            .get("/books/1").header("API-Version", "2"), .status(503),
            .json(#"{"title": "Emma"}"#))
        let client = Network(session: network.urlSession, clock: MockClock(), apiVersion: "2")
        let model = BooksViewModel(
            baseURL: URL(string: "https://books.example.com")!, session: client.session)

        await model.select(1)

        #expect(model.selected == Book(title: "Emma"))
        let request = "#1 GET https://books.example.com/books/1"
        #expect(
            client.log.withLock { $0 } == [request, "\(request): 200 (OK), 17 bytes, 0.000 s"])
        try network.verify()
    }

    @Test func aPolicyIsAValueOfTheMainActorToo() throws {
        var policy = RetryPolicy.standard
        policy.maximumAttempts = 2
        let request = URLRequest(url: URL(string: "https://books.example.com")!)

        let attempts = [
            RetryAttempt(1, of: request, response: .status(503), policy: policy, random: 0.5),
            RetryAttempt(2, of: request, error: URLError(.timedOut), policy: policy),
        ]

        #expect(attempts.map(\.decision) == [.retry(after: .milliseconds(250)), .finish])
    }

}
