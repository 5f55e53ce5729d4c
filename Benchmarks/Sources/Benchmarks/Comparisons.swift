import APIKitLite
import APIKitLiteTesting
import Foundation

/// Runs operations with so many in flight at once.
func inFlight(_ width: Int, _ operation: @escaping @Sendable () async throws -> Void) -> (
    Int
) async throws -> Void {
    { count in
        if width == 1 {
            for _ in 0..<count { try await operation() }
            return
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<width {
                group.addTask {
                    for _ in 0..<count / width { try await operation() }
                }
            }
            try await group.waitForAll()
        }
    }
}

func compareAll(rounds: Int) async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [TalkURLProtocol.self]
    let talk = URLSession(configuration: configuration)
    TalkURLProtocol.requestHandler = { (Fixture.response(to: $0), Fixture.json) }

    let closure = MockNetwork { (Fixture.response(to: $0), Fixture.json) }
    let closureSession = closure.urlSession
    let stubs = MockNetwork()
    stubs.stub(.get("/places"), .data(Fixture.json, contentType: "application/json"))
    let stubsSession = stubs.urlSession
    let direct = stubs
    let directClosure = closure
    let overTalk = APIRequestLoader(apiRequest: PlacesRequest(), urlSession: talk)
    let overDirect = APIRequestLoader(apiRequest: PlacesRequest(), urlSession: direct)
    let overDirectClosure = APIRequestLoader(apiRequest: PlacesRequest(), urlSession: directClosure)

    print("| what | ours | theirs | ratio | limit | |\n|---|---|---|---|---|---|")
    let bareTalk = Side(
        name: "bare talk", run: inFlight(1) { _ = try await bareLoad(talk, Fixture.request) })
    try await compare(
        "load, against a bare data task and JSONDecoder, wall", limit: 1.3, by: \.wall,
        operations: 1000, rounds: rounds,
        Side(name: "loader", run: inFlight(1) { _ = try await overTalk.load("x") }),
        Side(
            name: "bare",
            run: inFlight(1) {
                let request = try PlacesRequest().makeRequest(from: "x")
                _ = try JSONDecoder().decode([Place].self, from: try await bareLoad(talk, request))
            }))
    for (name, session, limit) in [("closure", closureSession, 1.1), ("stub", stubsSession, 0.9)] {
        try await compare(
            "mocked by a \(name), against the talk's mock, one in flight, wall", limit: limit,
            by: \.wall, operations: 1000, rounds: rounds,
            Side(name: name, run: inFlight(1) { _ = try await bareLoad(session, Fixture.request) }),
            bareTalk)
        try await compare(
            "mocked by a \(name), against the talk's mock, 16 in flight, CPU", limit: 1.5,
            by: \.cpu, operations: 4000, rounds: rounds,
            Side(
                name: name, run: inFlight(16) { _ = try await bareLoad(session, Fixture.request) }),
            Side(name: "talk", run: inFlight(16) { _ = try await bareLoad(talk, Fixture.request) }))
    }
    try await compareWithoutCache(rounds: rounds, closureSession, stubsSession, direct)
    let many = manyStubs(100)
    let one = manyStubs(1)
    for (name, limit, ours, theirs) in [
        (
            "a URLSession", 2.0, many.urlSession as any HTTPSession,
            one.urlSession as any HTTPSession
        ),
        ("a MockNetwork", 10.0, many, one),
    ] {
        try await compare(
            "100 stubs against one, through \(name), wall", limit: limit, by: \.wall,
            operations: 1000, rounds: rounds,
            Side(name: "100", run: inFlight(1) { _ = try await ours.exchange(Fixture.item) }),
            Side(name: "one", run: inFlight(1) { _ = try await theirs.exchange(Fixture.item) }))
    }
    for (name, loader) in [("a stub", overDirect), ("a closure", overDirectClosure)] {
        let decode = Side(
            name: "decode",
            run: inFlight(1) { _ = try PlacesRequest().parseResponse(data: Fixture.json) })
        let load = Side(name: "load", run: inFlight(1) { _ = try await loader.load("x") })
        var above: [Double] = []
        for _ in 0..<rounds {
            let ours = try await measure(load, 2000).wall
            above.append(ours - (try await measure(decode, 2000)).wall)
        }
        print(
            "| load through a MockNetwork with \(name), above decoding |",
            "\(above.median.microseconds) | | | |")
    }
}

/// A network whose first stub is the one that responds.
private func manyStubs(_ count: Int) -> MockNetwork {
    let network = MockNetwork()
    for number in 0..<count {
        network.stub(.get("/items/\(number)"), .data(Fixture.json), times: .any)
    }
    return network
}

/// Against a ten-line mock whose session has no cache, as the sessions of a network have none; and
/// what all policies add to a mocked exchange, as a part of such a request.
private func compareWithoutCache(
    rounds: Int, _ closure: URLSession, _ stub: URLSession, _ direct: MockNetwork
) async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [TalkURLProtocol.self]
    configuration.urlCache = nil
    let tenLines = URLSession(configuration: configuration)
    for width in [1, 16] {
        let theirs = Side(
            name: "ten lines",
            run: inFlight(width) { _ = try await bareLoad(tenLines, Fixture.request) })
        for (name, session, limit) in [("closure", closure, 1.9), ("stub", stub, 1.7)] {
            try await compare(
                "mocked by a \(name), against ten lines without a cache, \(width) in flight, CPU",
                limit: limit, by: \.cpu, operations: 2000, rounds: rounds,
                Side(
                    name: name,
                    run: inFlight(width) { _ = try await bareLoad(session, Fixture.request) }),
                theirs)
        }
        if width == 1 {
            try await compare(
                "exchange, against a data task with a completion handler, mocked, wall",
                limit: 1.3, by: \.wall, operations: 2000, rounds: rounds,
                Side(
                    name: "exchange",
                    run: inFlight(1) { _ = try await tenLines.exchange(Fixture.request) }),
                theirs)
            try await compare(
                "data(for:), against the same, wall", limit: 1, by: \.wall, operations: 2000,
                rounds: rounds,
                Side(
                    name: "data(for:)",
                    run: inFlight(1) { _ = try await tenLines.data(for: Fixture.request) }),
                theirs)
        }
    }
    let chain = allPolicies(around: direct)
    let policies = Side(
        name: "chain", run: inFlight(1) { _ = try await chain.exchange(Fixture.request) })
    let floor = Side(
        name: "bare", run: inFlight(1) { _ = try await direct.exchange(Fixture.request) })
    let request = Side(
        name: "ten lines", run: inFlight(1) { _ = try await bareLoad(tenLines, Fixture.request) })
    var ratios: [Double] = []
    for side in [policies, floor, request] { try await side.run(500) }
    for _ in 0..<rounds {
        let added =
            try await measure(policies, 2000).wall - (try await measure(floor, 2000)).wall
        ratios.append(added / (try await measure(request, 2000)).wall)
    }
    print(
        "| all policies over a MockNetwork, added, against a ten-line request, wall | | |",
        "\(ratios.median.rounded(to: 100)) | 0.35 | \(ratios.median <= 0.35 ? "" : "over")")
}
