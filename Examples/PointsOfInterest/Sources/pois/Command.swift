import APIKitLite
import APIKitLiteTesting
import Foundation
import PlacesServer
import PointsOfInterest

/// The whole command. A test gives it a network and a clock, and reads what it writes.
package struct Command: Sendable {
    private let network: any HTTPSession
    private let clock: any Clock<Duration>
    private let terminal: Terminal?
    private let output: @Sendable (String) -> Void
    private let errors: @Sendable (String) -> Void

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - network: What the requests are sent over.
    ///   - clock: The clock of the timeouts and of the waits between attempts.
    ///   - terminal: The terminal that standard error is; nil if it is none.
    ///   - output: Gets the text for standard output.
    ///   - errors: Gets the text for standard error.
    package init(
        network: any HTTPSession = URLSession.shared,
        clock: any Clock<Duration> = ContinuousClock(),
        terminal: Terminal? = nil,
        output: @escaping @Sendable (String) -> Void,
        errors: @escaping @Sendable (String) -> Void
    ) {
        self.network = network
        self.clock = clock
        self.terminal = terminal
        self.output = output
        self.errors = errors
    }

    /// Runs the command.
    ///
    /// - Parameter arguments: The arguments after the program's name.
    /// - Returns: The exit code; 130 if the task was cancelled.
    package func run(_ arguments: [String]) async -> Int32 {
        do {
            try await run(Options(arguments))
            return 0
        } catch {
            let failure = (error as? UsageError).map { Failure($0) } ?? Failure(error)
            if Task.isCancelled, !failure.isInterruption { return 130 }
            errors(failure.line(asJSON: arguments.contains("--json")))
            return failure.exitCode
        }
    }

    private func run(_ options: Options) async throws {
        switch options.action {
        case .help: output(help)
        case .version: output(version)
        case .serve(let port): try await serve(port, options)
        case .watch(let count): try await watch(count, options)
        case .download(let path): try await download(to: path, options)
        case .upload(let path): try await upload(path, options)
        case .find(let coordinate):
            try await load(options) { client in
                // Another server may answer in another order, and with more than it was asked for.
                let places = try await client.places(near: coordinate, limit: options.limit)
                    .seen(from: coordinate).prefix(options.limit)
                output(
                    options.printsJSON
                        ? try json(of: Array(places)) : table(of: Array(places)))
            }
        case .search(let text):
            try await load(options) { client in
                let (places, hasMore) = try await search(text, client, options)
                output(
                    options.printsJSON
                        ? try json(of: places) : table(of: places, hasMore: hasMore))
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

    /// Writes new places as they arrive.
    ///
    /// - Parameter count: The number of places after which it ends; nil for no limit.
    private func watch(_ count: Int?, _ options: Options) async throws {
        try await load(options) { client in
            let places = try client.newPlaces(clock: clock) { [errors] delay, error in
                errors(notice(of: delay, after: error))
            }
            var written = 0
            for try await event in places {
                let place = try PointOfInterest(event)
                output(options.printsJSON ? try jsonLine(of: place) : line(of: place))
                written += 1
                if written == count { break }
            }
        }
    }

    /// Downloads the file with all places. If it fails, the next call resumes it.
    private func download(to path: String, _ options: Options) async throws {
        let file = URL(fileURLWithPath: path)
        let bar = bar(options)
        do {
            try await load(options) { client in
                defer { bar.end() }
                let response = try await client.download(
                    to: file, progress: ObservedProgress { bar.show($0) }, clock: clock)
                bar.end()
                let result = TransferResult(
                    file: path, bytes: bar.state.completed,
                    resumedAt: response.firstByteOfRange)
                output(try text(of: result, "Downloaded", "to", asJSON: options.printsJSON))
            }
        } catch {
            let part = FileManager.default.sizeOfFile(atPath: path + ".part")
            throw Task.isCancelled
                ? Failure.interruptedDownload(afterByte: part)
                : Failure(error).resumable(atByte: part)
        }
    }

    private func upload(_ path: String, _ options: Options) async throws {
        let bar = bar(options)
        try await load(options, purpose: "upload \(path.printable) to") { client in
            defer { bar.end() }
            let receipt = try await client.upload(
                URL(fileURLWithPath: path), progress: ObservedProgress { bar.show($0) })
            bar.end()
            let result = TransferResult(file: path, bytes: Int64(receipt.bytes))
            output(try text(of: result, "Uploaded", "of", asJSON: options.printsJSON))
        }
    }

    private func bar(_ options: Options) -> ProgressBar {
        // The lines of --verbose would end in the middle of the bar.
        ProgressBar(on: options.isVerbose ? nil : terminal, write: errors)
    }

    /// Calls a closure with a client of the server that the options name.
    ///
    /// - Parameter purpose: What is done, before the URL of the server, for an error.
    private func load(
        _ options: Options, purpose: String = "load places from",
        work: (PlacesClient) async throws -> Void
    ) async throws {
        var server: LoopbackServer?
        if options.baseURL == nil {
            let network = MockNetwork.places(
                try PlacesIndex.world(), isFlaky: options.isFlaky,
                bytesPerSecond: options.bytesPerSecond, clock: clock)
            // The same port each time, if it is free: a download is resumed if its URL is the same.
            server = try (try? network.serve(port: 48_631)) ?? network.serve()
        }
        defer { server?.stop() }
        guard let baseURL = options.baseURL ?? server?.url else { return }

        let errors = errors
        let session = placesSession(
            over: network, from: baseURL, timeout: options.timeout, clock: clock,
            log: { if options.isVerbose { errors($0 + "\n") } })
        do {
            try await work(PlacesClient(baseURL: baseURL, session: session))
        } catch let error as APIRequestError {
            throw Failure(error, from: baseURL, purpose: purpose)
        }
    }

    private func serve(_ port: Int, _ options: Options) async throws {
        let index = try PlacesIndex.world()
        let token = UUID().uuidString
        let network = MockNetwork.places(
            index, token: token, isFlaky: options.isFlaky,
            bytesPerSecond: options.bytesPerSecond, clock: clock)
        let server = try network.serve(port: port)
        defer { server.stop() }
        output(announcement(of: server.url, placeCount: index.places.count, token: token))
        while true { try await Task.sleep(for: .seconds(3600)) }
    }
}

extension HTTPURLResponse {
    /// The position of the body's first byte in the file, if the body is only a part of it.
    fileprivate var firstByteOfRange: Int64? {
        guard statusCode == 206, let range = value(forHTTPHeaderField: "Content-Range") else {
            return nil
        }
        return Int64(range.dropFirst("bytes ".count).prefix { $0 != "-" })
    }
}

extension FileManager {
    /// Returns the number of bytes in a file, or nil if there is no file.
    fileprivate func sizeOfFile(atPath path: String) -> Int64? {
        (try? attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value
    }
}
