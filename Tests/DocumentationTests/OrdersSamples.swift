import APIKitLite
import APIKitLiteTesting
import TestSupport

struct Order: Codable {
    var key = UUID()
    var items: [String] = []
}

struct OrderRequest: APIRequest {
    typealias ResponseDataType = Void

    func makeRequest(from order: Order) throws -> URLRequest {
        try URLRequest("POST", baseURL, path: "/orders")
            .header("Idempotency-Key", "\(order.key)").jsonBody(order.items)
    }
}

@MainActor final class Checkout {
    private(set) var order = Order()
    private let session: any HTTPSession
    private let file: URL
    private var placing: Task<Void, any Error>?

    init(_ session: any HTTPSession, file: URL) throws {
        (self.session, self.file) = (session, file)
        if isUndecided {
            order = try JSONDecoder().decode(Order.self, from: Data(contentsOf: file))
        }
    }

    /// Whether the server may have the order, so that its items must not change.
    var isUndecided: Bool { FileManager.default.fileExists(atPath: file.path) }

    func add(_ item: String) {
        if !isUndecided { order.items.append(item) }
    }

    func place() async throws {
        let task = placing ?? Task { try await send() }
        placing = task
        try await task.value
    }

    private func send() async throws {
        defer { placing = nil }
        guard !order.items.isEmpty else { return }  // This tap came after the response.
        try JSONEncoder().encode(order).write(to: file, options: .atomic)
        do {
            try await session.load(OrderRequest(), order)
            try decide(next: Order())
        } catch  where [400, 402, 422].contains((error as? APIRequestError)?.statusCode) {
            try decide(next: Order(items: order.items))
            throw error
        }
    }

    private func decide(next: Order) throws {
        try FileManager.default.removeItem(at: file)
        order = next
    }
}

private let baseURL = URL(string: "https://api.example.com")!

/// The samples of Orders.md.
@Suite(.limited) @MainActor private struct OrdersSamples {
    private let network = MockNetwork()
    private let folder = try! TemporaryFolder()
    private var file: URL { folder.url.appending(path: "order.json") }

    /// An app that has just started.
    private func checkout() throws -> Checkout {
        try Checkout(network.retrying(RetryPolicy(baseDelay: .zero, deadline: nil)), file: file)
    }

    private var keys: [String?] { network.requests.map { $0.header("Idempotency-Key") } }

    @Test(
        arguments: [
            .error(.timedOut), .error(.networkConnectionLost), .status(401), .status(409),
            .status(429), .status(500), .status(503), .redirect(to: "https://login.example.com"),
        ] as [MockResponse], [false, true])
    func theSecondTapSendsTheSameOrder(_ failure: MockResponse, restarts: Bool) async throws {
        network.stub(.any, failure)
        var app = try checkout()
        app.add("tea")
        let key = "\(app.order.key)"

        await #expect(throws: APIRequestError.self) { try await app.place() }
        if restarts { app = try checkout() }
        #expect(app.isUndecided)
        app.add("cake")
        network.stub(.post("/orders"), .status(201))
        try await app.place()

        let orders = network.requests.filter { $0.method == "POST" }
        #expect(orders.count >= 2)
        #expect(orders.allSatisfy { $0.header("Idempotency-Key") == key })
        #expect(orders.allSatisfy { $0.json == #"["tea"]"# })
        #expect(!app.isUndecided)
    }

    @Test func anAppThatRestartsSendsTheSameOrder() async throws {
        let network = MockNetwork()
        network.stub(.post("/orders"), .error(.networkConnectionLost), .status(201))
        var checkout = try Checkout(network, file: file)
        checkout.add("tea")

        await #expect(throws: APIRequestError.self) { try await checkout.place() }
        checkout = try Checkout(network, file: file)  // The app restarts.
        try await checkout.place()

        let keys = network.requests.map { $0.header("Idempotency-Key") }
        #expect(keys.count == 2 && keys[0] == keys[1])
    }

    /// Taps twice while the server thinks, and returns the results.
    private func tapTwice(_ app: Checkout, _ stub: Stub) async -> [Result<Void, any Error>] {
        app.add("tea")
        let taps = [Task { try await app.place() }, Task { try await app.place() }]
        await stub.waitForRequests()
        stub.release()
        return [await taps[0].result, await taps[1].result]
    }

    @Test func twoTapsSendOneOrder() async throws {
        let app = try checkout()
        let stub = network.stub(.post("/orders"), .status(201).held)

        for tap in await tapTwice(app, stub) { try tap.get() }
        try await app.place()  // A tap that comes late.

        #expect(network.requests.count == 1)
    }

    @Test func twoTapsShareAFailure() async throws {
        let app = try checkout()
        let stub = network.stub(.post("/orders"), .status(409).held, .status(201))

        for tap in await tapTwice(app, stub) {
            #expect(throws: APIRequestError.self) { try tap.get() }
        }
        try await app.place()

        #expect(keys.count == 2 && keys[0] == keys[1])
    }

    @Test func theNextOrderHasAnotherKey() async throws {
        network.stub(.post("/orders"), .status(201).header("Content-Length", "0"), .text("{"))
        let app = try checkout()

        for _ in 1...2 {
            app.add("tea")
            try await app.place()
        }

        #expect(keys.count == 2 && keys[0] != keys[1])
    }

    @Test func aRefusedOrderIsKeptWithAnotherKey() async throws {
        network.stub(.post("/orders"), .status(402), .status(201))
        let app = try checkout()
        app.add("tea")

        await #expect(throws: APIRequestError.self) { try await app.place() }
        app.add("cake")
        try await app.place()

        #expect(keys.count == 2 && keys[0] != keys[1])
        #expect(network.requests.map(\.json) == [#"["tea"]"#, #"["tea","cake"]"#])
    }
}
