import APIKitLite
import APIKitLiteTesting
import Foundation
import PlacesServer
import PointsOfInterest

/// The whole command. A test gives it a network and a clock, and reads what it writes.
package struct Command: Sendable {
    private let network: any HTTPSession
    private let clock: any Clock<Duration>
    private let columns: Int
    private let showsProgress: Bool
    private let output: @Sendable (String) -> Void
    private let errors: @Sendable (String) -> Void

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - network: What the requests are sent over.
    ///   - clock: The clock of the timeouts and of the waits between attempts.
    ///   - columns: The width of the terminal at standard output. The name of a place is shortened
    ///     so that its line fits.
    ///   - showsProgress: Whether standard error is a terminal, which can show a progress.
    ///   - output: Gets the text for standard output.
    ///   - errors: Gets the text for standard error.
    package init(
        network: any HTTPSession = URLSession.shared,
        clock: any Clock<Duration> = ContinuousClock(),
        columns: Int = .max,
        showsProgress: Bool = false,
        output: @escaping @Sendable (String) -> Void,
        errors: @escaping @Sendable (String) -> Void
    ) {
        self.network = network
        self.clock = clock
        self.columns = columns
        self.showsProgress = showsProgress
        self.output = output
        self.errors = errors
    }

    /// Runs the command.
    ///
    /// - Parameter arguments: The arguments after the program's name.
    /// - Returns: The exit code: 64 for a wrong command line (`EX_USAGE`), 130 if the task was
    ///   cancelled, otherwise 1 for an error.
    package func run(_ arguments: [String]) async -> Int32 {
        do {
            let options = try Options(arguments)
            switch options.action {
            case .help: output(help)
            case .serve(let port): try await serve(port, options)
            default: try await load(options)
            }
            return 0
        } catch {
            if Task.isCancelled { return 130 }
            errors("pois: \(explanation(of: error))\n")
            return error is UsageError ? 64 : 1
        }
    }

    /// Does what is done over a client of the server that the options name.
    private func load(_ options: Options) async throws {
        var server: LoopbackServer?
        if options.baseURL == nil {
            let places = try PlacesIndex.world()
            let network = MockNetwork.places(
                places, isFlaky: options.isFlaky, isSlow: options.isSlow, clock: clock)
            // The same port each time, if it is free: a download is resumed if its URL is the same.
            server = try (try? network.serve(port: 48_631)) ?? network.serve()
        }
        defer { server?.stop() }
        guard let baseURL = options.baseURL ?? server?.url else { return }
        let errors = errors
        let session = placesSession(
            over: network, from: baseURL, timeout: options.timeout, clock: clock,
            log: { if options.isVerbose { errors($0 + "\n") } })
        let client = PlacesClient(baseURL: baseURL, session: session)

        switch options.action {
        case .find(let point):
            for place in try await client.places(near: point, limit: min(options.limit, 100)) {
                try write(place, from: point, options)
            }
        case .search(let text):
            let found = client.search(text, pageSize: min(options.limit, 100))
            for try await place in found.prefix(options.limit) { try write(place, options) }
        case .watch: try await watch(client, options)
        case .download: try await download(client, options)
        case .upload(let path): try await upload(path, client)
        case .help, .serve: break
        }
    }

    /// Writes new places as they arrive.
    private func watch(_ client: PlacesClient, _ options: Options) async throws {
        let events = try client.newPlaces(clock: clock) { [errors] delay, error in
            let reason = error?.localizedDescription ?? "The server ended the connection."
            let seconds = String(format: "%.1f", delay / .seconds(1))
            errors("pois: \(reason) Connecting again in \(seconds) s.\n")
        }
        for try await event in events.prefix(options.limit) {
            try write(PointOfInterest(event), options)
        }
    }

    /// Downloads the file with all places. If it fails, the next call resumes it.
    private func download(_ client: PlacesClient, _ options: Options) async throws {
        let file = URL(fileURLWithPath: options.target)
        do {
            let response = try await client.download(
                to: file, progress: showProgress, clock: clock)
            endProgress()
            // 206 is the status of a part.
            let resumption = response.statusCode == 206 ? " (resumed)" : ""
            let count = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
            output("Downloaded \(count) bytes to \(options.target)\(resumption)\n")
        } catch {
            endProgress()
            if FileManager.default.fileExists(atPath: file.path + ".part") {
                errors("pois: The same command resumes the download.\n")
            }
            throw error
        }
    }

    private func upload(_ path: String, _ client: PlacesClient) async throws {
        defer { endProgress() }
        let receipt = try await client.upload(
            URL(fileURLWithPath: path), progress: showProgress)
        output("Uploaded \(receipt.bytes) bytes.\n")
    }

    /// Shows a progress on one line of a terminal, which is written again and again.
    @Sendable private func showProgress(_ bytes: Int64, _ total: Int64?) {
        guard showsProgress else { return }
        errors("\r\(bytes)\(total.map { " of \($0)" } ?? "") bytes")
    }

    /// Ends the line of the progress.
    private func endProgress() {
        if showsProgress { errors("\n") }
    }

    private func serve(_ port: Int, _ options: Options) async throws {
        let token = UUID().uuidString
        let network = MockNetwork.places(
            try PlacesIndex.world(), token: token, isFlaky: options.isFlaky,
            isSlow: options.isSlow, clock: clock)
        let server = try network.serve(port: port)
        defer { server.stop() }
        output(
            """
            Serving places at \(server.url)
            Stop the server with control-C. To try it:
            curl -H 'Authorization: Bearer \(token)' '\(server.url)/search?q=San%20Jose'
            pois --base-url \(server.url) --search 'San Jose'

            """)
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    /// Writes a place on a line.
    ///
    /// - Parameter point: The point to measure the distance from; nil for none.
    private func write(
        _ place: PointOfInterest, from point: Coordinate? = nil, _ options: Options
    ) throws {
        guard options.printsJSON else {
            let distance = point.map {
                String(format: ", %.1f km", $0.distance(to: place.coordinate))
            }
            let rest = " (\(place.kind), \(place.country))\(distance ?? "")"
            let length = max(columns - rest.count, 1)
            let name =
                place.name.count > length ? place.name.prefix(length - 1) + "…" : place.name[...]
            output("\(name)\(rest)\n")
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        output(String(decoding: try encoder.encode(place), as: UTF8.self) + "\n")
    }
}
