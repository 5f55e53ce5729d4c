import APIKitLite
import APIKitLiteTesting
import Foundation

/// Loads with every third one cancelled at a random moment.
func cancelAtRandom(_ count: Int) async throws {
    let network = MockNetwork { request in
        if request.url?.query == "q=slow" { try await Task.sleep(for: .microseconds(200)) }
        return (Fixture.response(to: request), Data("[]".utf8))
    }
    let loader = APIRequestLoader(apiRequest: PlacesRequest(), urlSession: network.urlSession)
    let clock = ContinuousClock()
    var start = clock.now
    var memory = residentMegabytes()
    for part in 0..<2 {
        let (loaded, cancelled) = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for worker in 0..<64 {
                group.addTask {
                    var random = SystemRandomNumberGenerator()
                    var loaded = 0
                    var cancelled = 0
                    for index in 0..<count / 128 {
                        let task = Task { try await loader.load(index % 2 == 0 ? "slow" : "x") }
                        if (index + worker) % 3 == 0 {
                            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                                await Task.yield()
                            }
                            task.cancel()
                        }
                        do {
                            _ = try await task.value
                            loaded += 1
                        } catch let error as APIRequestError where error.isCancellation {
                            cancelled += 1
                        }
                    }
                    return (loaded, cancelled)
                }
            }
            return try await group.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
        }
        let seconds = start.duration(to: clock.now) / .seconds(1)
        print(
            "part \(part + 1): \(loaded) loaded, \(cancelled) cancelled, \(seconds.rounded(to: 10)) s,",
            "memory \(memory.rounded(to: 10)) MB before, \(residentMegabytes().rounded(to: 10)) MB after"
        )
        memory = residentMegabytes()
        start = clock.now
    }
}

/// Requests that are all in flight at once, each with a response after one second.
func manyInFlight(_ count: Int) async throws {
    let network = MockNetwork { request in
        try await Task.sleep(for: .seconds(1))
        return (Fixture.response(to: request), Data("[]".utf8))
    }
    let session = network.urlSession
    let clock = ContinuousClock()
    let start = clock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<count { group.addTask { _ = try await session.exchange(Fixture.request) } }
        try await group.waitForAll()
    }
    print(
        "\(count) in flight, each 1 s: \((start.duration(to: clock.now) / .seconds(1)).rounded(to: 100)) s"
    )
}

/// Networks in parallel, all on one URL.
func manyNetworks(_ count: Int, requests: Int) async throws {
    let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
        for id in 0..<count {
            group.addTask {
                let network = MockNetwork { (Fixture.response(to: $0), Data("\(id)".utf8)) }
                let session = network.urlSession
                return try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<requests {
                        group.addTask {
                            let (data, _) = try await session.exchange(Fixture.request)
                            return data == Data("\(id)".utf8) ? 0 : 1
                        }
                    }
                    return try await group.reduce(0, +)
                }
            }
        }
        return try await group.reduce(0, +)
    }
    print("\(count) networks, \(requests) requests each: \(wrong) wrong responses")
}
