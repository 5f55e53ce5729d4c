import APIKitLite
import APIKitLiteTesting
import TestSupport

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

@Suite(.limited, .usesSockets) struct BooksViewModelTests {
    let baseURL = URL(string: "https://books.example.com")!
    let network = MockNetwork()
    let emma = MockResponse.json(#"{"title": "Emma"}"#)

    private func model(_ session: any HTTPSession) -> BooksViewModel {
        BooksViewModel(baseURL: baseURL, session: session)
    }

    @Test func loadsUnannotatedModels() async throws {
        network.stub(.get("/books"), .json(encoding: [Book(title: "Emma")]))
        network.stub(.get("/books/{id}")) { request in
            .json(#"{"title": "Book \#(request.pathValues["id"] ?? "")"}"#)
        }
        let model = model(network.urlSession)

        await model.search("emma")
        await model.select(7)

        #expect(model.books == [Book(title: "Emma")])
        #expect(model.selected == Book(title: "Book 7"))
        #expect(model.message == nil)
        #expect(network.requests.first?.query == ["q": "emma"])
        try network.verify()
    }

    @Test func aChainIsBuiltOnTheMainActor() async throws {
        network.stub(.get("/books/1").header("API-Version", "2"), .status(503), emma)
        let client = Network(session: network.urlSession, clock: MockClock(), apiVersion: "2")
        let model = model(client.session)

        await model.select(1)

        #expect(model.selected == Book(title: "Emma"))
        let request = "#1 GET https://books.example.com/books/1"
        #expect(client.log.withLock { $0 } == [request, "\(request): 200 (OK), 17 bytes, 0.000 s"])
        try network.verify()
    }

    @Test func aPolicyIsAValueOfTheMainActorToo() throws {
        var policy = RetryPolicy.standard
        policy.maximumAttempts = 2
        let request = URLRequest(url: baseURL)

        let attempts = [
            RetryAttempt(1, of: request, response: .status(503), policy: policy, random: 0.5),
            RetryAttempt(2, of: request, error: URLError(.timedOut), policy: policy),
        ]

        #expect(attempts.map(\.decision) == [.retry(after: .milliseconds(250)), .finish])
    }

    @Test func survivesEveryFault() async throws {
        var messages: [String?] = []

        let report = try await forEachFault(in: emma) { network in
            let model = model(network.urlSession)
            await model.select(7)
            #expect((model.selected == nil) == (model.message != nil), "\(Fault.current)")
            messages.append(model.message)
        }

        // The first message is that of the good response.
        #expect(messages.count == report.faults.count + 1)
    }

    @Test func survivesEveryFaultInTime() async throws {
        let report = try await forEachFault(in: emma) { network, clock in
            try await network.load(BookRequest(baseURL: baseURL), 7)
        }

        #expect(report[.slow] == .value)
    }
}
