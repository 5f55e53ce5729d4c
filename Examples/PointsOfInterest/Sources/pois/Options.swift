import Foundation
import PointsOfInterest

/// What the command line asks for.
package struct Options: Equatable, Sendable {
    /// What to do; the other options say how.
    package enum Action: Equatable, Sendable {
        case help
        case serve(port: Int)
        case find(near: Coordinate)
    }

    /// The one thing to do.
    package var action: Action
    /// The server to load from; nil for the one inside.
    package var baseURL: URL?
    /// How many places to list, 1 to 100.
    package var limit = 10
    /// Whether to print JSON in place of a table.
    package var printsJSON = false
    /// Whether to show each exchange.
    package var isVerbose = false

    /// Reads the arguments after the program's name.
    ///
    /// - Throws: ``UsageError``, which names the first thing that is wrong.
    package init(_ arguments: [String]) throws {
        action = .help
        if arguments.contains("--help") || arguments.contains("-h") { return }

        var values = try Self.values(in: arguments)
        if let port = values.removeValue(forKey: "--serve") {
            if let other = values.keys.min() { throw UsageError.servesOnly(other) }
            guard let port = Int(port), (0...65535).contains(port) else {
                throw UsageError.port(port)
            }
            action = .serve(port: port)
            return
        }
        guard let near = values["--near"] else { throw UsageError.missingPlace }
        action = .find(near: try Self.coordinate(near))
        baseURL = try values["--base-url"].map(Self.baseURL)
        limit = try values["--limit"].map(Self.limit) ?? limit
        printsJSON = values["--json"] != nil
        isVerbose = values["--verbose"] != nil
    }

    private static let flags: Set = ["--json", "--verbose"]
    private static let options: Set = ["--near", "--base-url", "--limit", "--serve"]

    /// Every option with its value, as text; a flag's is empty.
    private static func values(in arguments: [String]) throws -> [String: String] {
        var values: [String: String] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let name = String(argument.prefix { $0 != "=" })
            var value = name == argument ? nil : String(argument.dropFirst(name.count + 1))
            guard flags.contains(name) || options.contains(name) else {
                throw UsageError.unknown(argument)
            }
            guard values[name] == nil else { throw UsageError.repeated(name) }
            if flags.contains(name) {
                guard value == nil else { throw UsageError.unwantedValue(name) }
                values[name] = ""
                continue
            }
            // One hyphen may start a value, such as a southern latitude.
            if value == nil, rest.first?.hasPrefix("--") == false { value = rest.popFirst() }
            guard let value, !value.isEmpty else { throw UsageError.missingValue(name) }
            values[name] = value
        }
        return values
    }

    private static func coordinate(_ text: String) throws -> Coordinate {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { Double($0.trimmingCharacters(in: .whitespaces)) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
            throw UsageError.notACoordinate(text)
        }
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        guard coordinate.isValid else { throw UsageError.offTheGlobe(text) }
        return coordinate
    }

    private static func baseURL(_ text: String) throws -> URL {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
            let host = url.host, !host.isEmpty, url.fragment == nil
        else { throw UsageError.baseURL(text) }
        return url
    }

    private static func limit(_ text: String) throws -> Int {
        guard let limit = Int(text), (1...100).contains(limit) else { throw UsageError.limit(text) }
        return limit
    }
}
