import APIKitLite
import APIKitLiteTesting
import Foundation
import PlacesServer
import PointsOfInterest

/// The whole command. A test gives it a network and a clock, and reads what it writes.
package struct Command: Sendable {
    private let network: any HTTPSession
    private let clock: any Clock<Duration>
    private let output: @Sendable (String) -> Void
    private let errors: @Sendable (String) -> Void

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - network: What the requests are sent over.
    ///   - clock: The clock of the timeouts and of the waits between attempts.
    ///   - output: Gets the text for standard output.
    ///   - errors: Gets the text for standard error.
    package init(
        network: any HTTPSession = URLSession.shared,
        clock: any Clock<Duration> = ContinuousClock(),
        output: @escaping @Sendable (String) -> Void,
        errors: @escaping @Sendable (String) -> Void
    ) {
        self.network = network
        self.clock = clock
        self.output = output
        self.errors = errors
    }

    /// Runs the command.
    ///
    /// - Parameter arguments: The arguments after the program's name.
    /// - Returns: The exit code.
    package func run(_ arguments: [String]) async -> Int32 {
        do {
            try await run(Options(arguments))
            return 0
        } catch {
            let failure = (error as? UsageError).map { Failure($0) } ?? Failure(error)
            errors(failure.line(asJSON: arguments.contains("--json")))
            return failure.exitCode
        }
    }

    private func run(_ options: Options) async throws {
        switch options.action {
        case .help: output(help)
        case .version: output(version)
        case .serve(let port): try await serve(port, options)
        case .find(let coordinate):
            try await load(options) { client in
                // Another server may answer in another order, and with more than it was asked for.
                let places = try await client.places(near: coordinate, limit: options.limit)
                    .seen(from: coordinate).prefix(options.limit)
                return options.printsJSON
                    ? try json(of: Array(places)) : table(of: Array(places))
            }
        case .search(let text):
            try await load(options) { client in
                let (places, hasMore) = try await search(text, client, options)
                return options.printsJSON
                    ? try json(of: places) : table(of: places, hasMore: hasMore)
            }
        }
    }

    private func search(
        _ text: String, _ client: PlacesClient, _ options: Options
    ) async throws -> (places: [PointOfInterest], hasMore: Bool) {
        guard options.loadsAllPages else {
            let page = try await client.firstPage(of: text, limit: options.limit)
            let hasMore = page.next != nil || page.places.count > options.limit
            return (Array(page.places.prefix(options.limit)), hasMore)
        }
        var places: [PointOfInterest] = []
        for try await place in client.search(text) { places.append(place) }
        return (places, false)
    }

    /// Writes what a closure makes of the places, from the server that the options name.
    private func load(
        _ options: Options, text: (PlacesClient) async throws -> String
    ) async throws {
        let server =
            options.baseURL == nil
            ? try MockNetwork.places(PlacesIndex.world(), isFlaky: options.isFlaky).serve() : nil
        defer { server?.stop() }
        guard let baseURL = options.baseURL ?? server?.url else { return }

        let errors = errors
        let session = placesSession(
            over: network, from: baseURL, timeout: options.timeout, clock: clock,
            log: { if options.isVerbose { errors($0 + "\n") } })
        do {
            output(try await text(PlacesClient(baseURL: baseURL, session: session)))
        } catch let error as APIRequestError {
            throw Failure(error, from: baseURL)
        }
    }

    private func serve(_ port: Int, _ options: Options) async throws {
        let index = try PlacesIndex.world()
        let token = UUID().uuidString
        let server = try MockNetwork.places(index, token: token, isFlaky: options.isFlaky)
            .serve(port: port)
        defer { server.stop() }
        output(announcement(of: server.url, placeCount: index.places.count, token: token))
        while true { try await Task.sleep(for: .seconds(3600)) }
    }
}
