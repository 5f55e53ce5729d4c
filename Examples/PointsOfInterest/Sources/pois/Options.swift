import Foundation
import PointsOfInterest

/// What is wrong with the command line.
package struct UsageError: Error {
    /// A sentence for the user.
    package let sentence: String
}

/// What the command line asks for.
package struct Options: Sendable {
    /// What to do; the other options say how.
    package enum Action: Equatable, Sendable {
        case help
        case serve(port: Int)
        case find(near: Coordinate)
        case search(String)
        case watch
        case download
        case upload(String)
    }

    /// The one thing to do.
    package private(set) var action = Action.help
    /// The server to load from; nil for the server inside the program.
    package private(set) var baseURL: URL?
    /// How many places to print.
    package private(set) var limit = 10
    /// The path of the file to download to.
    package private(set) var target = "places.json"
    /// How long one attempt may take.
    package private(set) var timeout = Duration.seconds(10)
    /// Whether to print JSON in place of text.
    package private(set) var printsJSON = false
    /// Whether to show each attempt.
    package private(set) var isVerbose = false
    /// Whether the server inside the program is unavailable now and then.
    package private(set) var isFlaky = false
    /// Whether the server inside the program sends a file slowly.
    package private(set) var isSlow = false

    /// Reads the arguments after the program's name.
    package init(_ arguments: [String]) throws(UsageError) {
        if arguments.contains("--help") || arguments.contains("-h") { return }
        var actions: [Action] = []
        var rest = arguments[...]
        while let option = rest.popFirst() {
            /// Reads the value of the option.
            func value<Value>(
                _ kind: String, _ read: (String) -> Value?
            ) throws(UsageError) -> Value {
                guard let value = rest.popFirst().flatMap(read) else {
                    throw UsageError(sentence: "\(option) needs \(kind).")
                }
                return value
            }
            switch option {
            case "--near":
                actions.append(
                    .find(near: try value("degrees such as 37.3293,-121.8893", coordinate)))
            case "--search": actions.append(.search(try value("a text") { $0 }))
            case "watch": actions.append(.watch)
            case "download": actions.append(.download)
            case "upload": actions.append(.upload(try value("the path of a file") { $0 }))
            case "--serve":
                actions.append(.serve(port: try value("a port") { UInt16($0).map(Int.init) }))
            case "--limit":
                limit = try value("a number from 1") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
            case "--all": limit = .max
            case "--to": target = try value("the path of a file") { $0 }
            case "--base-url": baseURL = try value("an http URL", httpURL)
            case "--timeout":
                let seconds = try value("seconds from 0.001 to 3600") { text in
                    Double(text).flatMap { (0.001...3600).contains($0) ? $0 : nil }
                }
                timeout = .seconds(seconds)
            case "--json": printsJSON = true
            case "--verbose": isVerbose = true
            case "--flaky": isFlaky = true
            case "--slow": isSlow = true
            default: throw UsageError(sentence: unknown(option))
            }
        }
        guard actions.count == 1 else {
            throw UsageError(
                sentence: "There must be one thing to do, such as --near 37.3293,-121.8893.")
        }
        action = actions[0]
    }
}

/// All commands and options.
private let names = [
    "watch", "download", "upload", "--near", "--search", "--serve", "--limit", "--all", "--to",
    "--base-url", "--timeout", "--json", "--verbose", "--flaky", "--slow", "--help",
]

/// Returns a sentence about an argument that is no command and no option, with the likely one.
private func unknown(_ argument: String) -> String {
    let isOption = argument.hasPrefix("-")
    let likely = names.filter { $0.hasPrefix("-") == isOption }
        .map { (name: $0, distance: editDistance(argument, $0)) }
        .min { $0.distance < $1.distance }
    let sentence = "There is no \(isOption ? "option" : "command") \(argument)."
    guard let likely, likely.distance <= 2 else { return sentence }
    return "\(sentence) Did you mean \(likely.name)?"
}

/// Returns how many characters must be inserted, removed or replaced to turn one text into another.
private func editDistance(_ first: String, _ second: String) -> Int {
    let second = Array(second)
    // `row[n]` is the distance to the first `n` characters of `second`.
    var row = Array(0...second.count)
    for (index, character) in first.enumerated() {
        var next = [index + 1]
        for (column, other) in second.enumerated() {
            let replaced = row[column] + (character == other ? 0 : 1)
            next.append(min(replaced, row[column + 1] + 1, next[column] + 1))
        }
        row = next
    }
    return row[second.count]
}

private func coordinate(_ text: String) -> Coordinate? {
    let numbers = text.split(separator: ",").compactMap { Double($0) }
    guard numbers.count == 2 else { return nil }
    let coordinate = Coordinate(latitude: numbers[0], longitude: numbers[1])
    return coordinate.isValid ? coordinate : nil
}

private func httpURL(_ text: String) -> URL? {
    URL(string: text).flatMap { $0.scheme?.hasPrefix("http") == true && $0.host != nil ? $0 : nil }
}
