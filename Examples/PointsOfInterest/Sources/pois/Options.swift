import Foundation
import PointsOfInterest

/// What the command line asks for.
package struct Options: Equatable, Sendable {
    /// What to do; the other options say how.
    package enum Action: Equatable, Sendable {
        case help
        case version
        case serve(port: Int)
        case find(near: Coordinate)
        case search(String)
        case watch(count: Int?)
        case download(to: String)
        case upload(String)
    }

    /// The one thing to do.
    package var action: Action
    /// The server to load from; nil for the server inside the program.
    package var baseURL: URL?
    /// How many places to list, 1 to 100.
    package var limit = 10
    /// Whether to load every page of a search.
    package var loadsAllPages = false
    /// How long one attempt may take.
    package var timeout = Duration.seconds(10)
    /// Whether to print JSON in place of text, for errors too.
    package var printsJSON = false
    /// Whether to show each attempt.
    package var isVerbose = false
    /// Whether the server inside the program is unavailable now and then.
    package var isFlaky = false
    /// How many bytes of a file that server sends in a second; nil for no limit.
    package var bytesPerSecond: Int?

    /// Reads the arguments after the program's name.
    ///
    /// - Throws: ``UsageError``, which names the first thing that is wrong.
    package init(_ arguments: [String]) throws(UsageError) {
        action = .help
        if arguments.contains("--help") || arguments.contains("-h") { return }
        action = .version
        if arguments.contains("--version") { return }

        var values = try OptionName.values(in: arguments)
        isFlaky = values[.flaky] != nil
        if let text = values[.limitRate] { bytesPerSecond = try Self.rate(text) }
        if let port = values.removeValue(forKey: .serve) {
            values[.flaky] = nil
            values[.limitRate] = nil
            if let other = values.keys.min() { throw .conflict(.serve, other) }
            action = .serve(port: try Self.port(port))
            return
        }
        action = try Self.action(values)
        for (name, other) in OptionName.conflicts
        where values[name] != nil && values[other] != nil {
            throw .conflict(name, other)
        }
        if let text = values[.baseURL] { baseURL = try Self.baseURL(text) }
        if let text = values[.limit] { limit = try Self.limit(text) }
        if let text = values[.timeout] { timeout = try Self.timeout(text) }
        loadsAllPages = values[.all] != nil
        printsJSON = values[.json] != nil
        isVerbose = values[.verbose] != nil
        if loadsAllPages, values[.search] == nil { throw .allWithoutSearch }
        if values[.count] != nil, values[.watch] == nil { throw .countWithoutWatch }
        if values[.download] == nil {
            if values[.to] != nil { throw .toWithoutDownload }
            if values[.limitRate] != nil { throw .limitRateWithoutDownload }
        }
    }

    private static func action(_ values: [OptionName: String]) throws(UsageError) -> Action {
        // A conflict with another one is an error later.
        if values[.download] != nil { return .download(to: values[.to] ?? "places.json") }
        if let path = values[.upload] { return .upload(path) }
        if values[.watch] != nil { return .watch(count: try values[.count].map(count)) }
        switch (values[.near], values[.search]) {
        case (let near?, nil):
            return .find(near: try coordinate(near))
        case (nil, let text?):
            guard text.contains(where: { !$0.isWhitespace }) else {
                throw .missingValue(.search)
            }
            return .search(text)
        case (_?, _?):
            throw .conflict(.near, .search)
        case (nil, nil):
            throw .nothingToDo
        }
    }

    private static func coordinate(_ text: String) throws(UsageError) -> Coordinate {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { Double($0.trimmingCharacters(in: .whitespaces)) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
            throw .notACoordinate(text)
        }
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        guard coordinate.isValid else { throw .offTheGlobe(text) }
        return coordinate
    }

    private static func baseURL(_ text: String) throws(UsageError) -> URL {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
            let host = url.host, !host.isEmpty, url.fragment == nil
        else { throw .baseURL(text) }
        return url
    }

    private static func limit(_ text: String) throws(UsageError) -> Int {
        guard let limit = Int(text), (1...100).contains(limit) else { throw .limit(text) }
        return limit
    }

    private static func count(_ text: String) throws(UsageError) -> Int {
        guard let count = Int(text), count > 0 else { throw .count(text) }
        return count
    }

    /// Reads a number of bytes, as `800`, `50k` or `1.5M`.
    private static func rate(_ text: String) throws(UsageError) -> Int {
        let units: [Character: Double] = ["k": 1e3, "K": 1e3, "M": 1e6]
        let unit = text.last.flatMap { units[$0] }
        guard let number = Double(unit == nil ? text[...] : text.dropLast()) else {
            throw .limitRate(text)
        }
        let rate = number * (unit ?? 1)
        guard (1...1e9).contains(rate) else { throw .limitRate(text) }
        return Int(rate)
    }

    private static func timeout(_ text: String) throws(UsageError) -> Duration {
        // No server answers in less than a millisecond.
        guard let seconds = Double(text), (0.001...3600).contains(seconds) else {
            throw .timeout(text)
        }
        return .seconds(seconds)
    }

    private static func port(_ text: String) throws(UsageError) -> Int {
        guard let port = Int(text), (0...65535).contains(port) else { throw .port(text) }
        return port
    }
}
