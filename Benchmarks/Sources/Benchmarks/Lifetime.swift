import APIKitLite
import APIKitLiteTesting
import Foundation

/// Counts what is alive of one kind.
final class Census: @unchecked Sendable {  // The number only under the lock.
    final class Citizen: Sendable {
        private let census: Census

        init(_ census: Census) {
            self.census = census
            census.add(1)
        }

        deinit { census.add(-1) }
    }

    private let lock = NSLock()
    private var number = 0

    var count: Int { lock.withLock { number } }

    private func add(_ change: Int) {
        lock.withLock { number += change }
    }
}

/// A request that is counted, and with it the loaders and tasks that hold it.
private struct CountedRequest: APIRequest, Sendable {
    let citizen: Census.Citizen

    func makeRequest(from path: String) throws -> URLRequest { Fixture.request }
    func parseResponse(data: Data) throws -> Int { data.count }
}

/// Loads, each with a loader of its own, every third one cancelled: what is left of them.
func memoryOfLoads(_ count: Int) async throws {
    let network = MockNetwork { (Fixture.response(to: $0), Data("[]".utf8)) }
    let session = network.urlSession
    let census = Census()
    func load(_ count: Int) async {
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<16 {
                group.addTask {
                    for index in 0..<count / 16 {
                        let loader = APIRequestLoader(
                            apiRequest: CountedRequest(citizen: .init(census)), urlSession: session)
                        let task = Task { try await loader.load("x") }
                        if (index + worker).isMultiple(of: 3) {
                            await Task.yield()
                            task.cancel()
                        }
                        _ = await task.result
                    }
                }
            }
        }
    }
    await load(count / 10)
    let before = residentMegabytes()
    await load(count)
    let tasks = await withCheckedContinuation { continuation in
        session.getAllTasks { continuation.resume(returning: $0.count) }
    }
    print(
        "\(count) loads: \(census.count) loaders and \(tasks) tasks left,",
        "memory grew by \((residentMegabytes() - before).rounded(to: 10)) MB")
}

/// Networks made and dropped: what is left of them.
func lifetimeOfNetworks(_ count: Int) async throws {
    let clock = ContinuousClock()
    for isUsed in [false, true] {
        let census = Census()
        func makeAndDrop(_ count: Int) async throws {
            for _ in 0..<count {
                let citizen = Census.Citizen(census)
                let network = MockNetwork { request in
                    withExtendedLifetime(citizen) { (Fixture.response(to: request), nil) }
                }
                if isUsed { _ = try await network.urlSession.exchange(Fixture.request) }
            }
        }
        try await makeAndDrop(count / 10)
        let (memory, start) = (residentMegabytes(), clock.now)
        try await makeAndDrop(count)
        let seconds = start.duration(to: clock.now) / .seconds(1)
        print(
            "\(count) networks \(isUsed ? "with" : "without") a request:",
            "\(seconds.rounded(to: 10)) s,",
            "\(census.count) left,",
            "memory grew by \((residentMegabytes() - memory).rounded(to: 10)) MB")
    }
}

/// Networks dropped while their configurations are kept; then as many new ones, and both used.
func keptConfigurations(_ count: Int) async throws {
    func network(_ text: String) -> MockNetwork {
        MockNetwork { (Fixture.response(to: $0), Data(text.utf8)) }
    }
    let kept = (0..<count).map { network("old \($0)").configuration }
    for _ in 0..<count { _ = network("dropped").configuration }
    let new = (0..<count).map { network("new \($0)") }
    var wrong = 0
    for id in 0..<count {
        let (old, _) = try await URLSession(configuration: kept[id]).exchange(Fixture.request)
        let (fresh, _) = try await new[id].urlSession.exchange(Fixture.request)
        if old != Data("old \(id)".utf8) || fresh != Data("new \(id)".utf8) { wrong += 1 }
    }
    print("\(count) configurations kept without their networks: \(wrong) wrong responses")
}

/// Requests of which every third is cancelled at a random moment: is each marked as it ended?
func cancellationMarks(_ count: Int) async throws {
    let network = MockNetwork { request in
        if request.url?.path.hasSuffix("0") == true { try await Task.sleep(for: .milliseconds(1)) }
        return (Fixture.response(to: request), nil)
    }
    let session = network.urlSession
    let completed = try await withThrowingTaskGroup(of: Set<String>.self) { group in
        for worker in 0..<16 {
            group.addTask {
                var completed: Set<String> = []
                for index in 0..<count / 16 {
                    let id = "\(worker)-\(index)"
                    let url = URL(string: "https://example.com/\(id)")!
                    let task = Task { try await session.exchange(URLRequest(url: url)) }
                    if (index + worker).isMultiple(of: 3) {
                        for _ in 0..<Int.random(in: 0..<8) { await Task.yield() }
                        task.cancel()
                    }
                    if case .success = await task.result { completed.insert("/" + id) }
                }
                return completed
            }
        }
        return try await group.reduce(into: Set()) { $0.formUnion($1) }
    }
    let requests = network.requests
    let wrong = requests.count {
        $0.wasCancelled == completed.contains($0.request.url?.path ?? "")
    }
    print(
        "\(requests.count) requests, \(requests.count(where: \.wasCancelled)) marked as cancelled:",
        "\(wrong) marked wrongly")
}
