import APIKitLite
import Foundation

/// Responds at once: what is measured above it is the policies alone.
private struct InstantSession: HTTPSession {
    let response = Fixture.response(to: Fixture.request)

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        (HTTPBody(Fixture.json), response)
    }
}

/// The recommended chain, with an interceptor.
func allPolicies(around session: any HTTPSession) -> any HTTPSession {
    session.timingOut(after: .seconds(30)).limited(to: 8).coalescing()
        .authenticated(by: .bearer("token", for: Fixture.request.url!)).retrying()
        .intercepting { request, next in try await next(request) }
        .observed { _ in }
}

/// What each policy costs an exchange, and all of them together.
func costOfPolicies(rounds: Int) async throws {
    let bare = InstantSession()
    let url = Fixture.request.url!
    let chain = allPolicies(around: bare)
    let sides: [(name: String, session: any HTTPSession, limit: String)] = [
        ("intercepting", bare.intercepting { try await $1($0) }, ""),
        ("observed", bare.observed { _ in }, "2 µs"),
        ("timingOut", bare.timingOut(after: .seconds(30)), ""),
        ("limited", bare.limited(to: 8), ""),
        ("coalescing", bare.coalescing(), ""),
        ("authenticated", bare.authenticated(by: .bearer("token", for: url)), ""),
        ("retrying", bare.retrying(), ""),
        ("all of them", chain, "12 µs"),
    ]
    let operations = 20_000
    print("| policy | above the bare session: wall | CPU | limit |\n|---|---|---|---|")
    for (name, session, limit) in sides {
        try await costOf(session, above: bare, name, limit, width: 1, operations, rounds)
    }
    // In a busy app, a task that ends finds the next one waiting, and no thread has to be woken.
    for (name, session, limit) in [
        ("coalescing, 16 in flight", bare.coalescing() as any HTTPSession, "10 µs"),
        ("all, 16 in flight", chain, ""),
    ] {
        try await costOf(session, above: bare, name, limit, width: 16, operations, rounds)
    }
}

private func costOf(
    _ session: any HTTPSession, above bare: any HTTPSession, _ name: String, _ limit: String,
    width: Int, _ operations: Int, _ rounds: Int
) async throws {
    let side = Side(
        name: name, run: inFlight(width) { _ = try await session.exchange(Fixture.request) })
    let floor = Side(
        name: "bare", run: inFlight(width) { _ = try await bare.exchange(Fixture.request) })
    try await side.run(operations / 4)
    var wall: [Double] = []
    var cpu: [Double] = []
    for _ in 0..<rounds {
        let cost = try await measure(side, operations)
        let least = try await measure(floor, operations)
        wall.append(cost.wall - least.wall)
        cpu.append(cost.cpu - least.cpu)
    }
    print(
        "| \(name) | \(wall.median.microseconds) | \(cpu.median.microseconds) | \(limit) |")
}
