import APIKitLite
import Foundation

/// Loads over real connections: what `exchange` costs.
func compareReal(rounds: Int) async throws {
    let server = try ChildProcess("serve")
    defer { server.stop() }
    let request = URLRequest(url: server.url)
    func session() -> URLSession { URLSession(configuration: .ephemeral) }
    let plain = session()
    let exchanging = session()
    let uncached = URLSessionConfiguration.ephemeral
    uncached.urlCache = nil
    let without = URLSession(configuration: uncached)

    print("| what | ours | theirs | ratio | limit | |\n|---|---|---|---|---|---|")
    for (width, name, value) in [
        (1, "one in flight, wall", \Cost.wall), (16, "16 in flight, CPU", \.cpu),
    ] {
        func side(_ name: String, _ session: URLSession) -> Side {
            Side(name: name, run: inFlight(width) { _ = try await bareLoad(session, request) })
        }
        let bare = side("bare", plain)
        let operations = width == 1 ? 1000 : 4000
        try await compare(
            "exchange, against a plain data task, \(name)", limit: 1.05, by: value,
            operations: operations, rounds: rounds,
            Side(
                name: "exchange",
                run: inFlight(width) { _ = try await exchanging.exchange(request) }), bare)
        try await compare(
            "data task without a cache, against one with, \(name)", limit: 1.05, by: value,
            operations: operations, rounds: rounds, side("without", without), bare)
    }
}
