/// The options of the command, each with its name on the command line. Those that are something to
/// do, and not a detail of it, have no hyphens.
package enum OptionName: String, CaseIterable, Comparable, Sendable {
    case all = "--all"
    case baseURL = "--base-url"
    case count = "--count"
    case download = "download"
    case flaky = "--flaky"
    case help = "--help"
    case json = "--json"
    case limit = "--limit"
    case limitRate = "--limit-rate"
    case near = "--near"
    case search = "--search"
    case serve = "--serve"
    case timeout = "--timeout"
    case to = "--to"
    case upload = "upload"
    case verbose = "--verbose"
    case version = "--version"
    case watch = "watch"

    /// Pairs of options that exclude each other.
    static let conflicts: [(OptionName, OptionName)] =
        [(.download, .upload)]
        + [.download, .upload].flatMap { transfer in
            [.watch, .near, .search, .limit, .all, .count].map { (transfer, $0) }
        } + [
            (.watch, .near), (.watch, .search), (.watch, .limit), (.watch, .all), (.all, .limit),
            (.flaky, .baseURL), (.limitRate, .baseURL),
        ]

    /// Whether the option takes no value.
    var isFlag: Bool {
        switch self {
        case .all, .download, .flaky, .help, .json, .verbose, .version, .watch: true
        case .baseURL, .count, .limit, .limitRate, .near, .search, .serve, .timeout, .to, .upload:
            false
        }
    }

    package static func < (left: OptionName, right: OptionName) -> Bool {
        left.rawValue < right.rawValue
    }

    /// Returns every option that is given, with its value as text; the text of a flag is empty.
    ///
    /// - Throws: ``UsageError`` for an argument that is not an option, for an option that is
    ///   repeated, and for a value that is missing or unwanted.
    static func values(in arguments: [String]) throws(UsageError) -> [OptionName: String] {
        var values: [OptionName: String] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let text = String(argument.prefix { $0 != "=" })
            var value = text == argument ? nil : String(argument.dropFirst(text.count + 1))
            guard let name = OptionName(rawValue: text) else {
                throw .unknown(argument, nearest: nearest(to: text))
            }
            guard values[name] == nil else { throw .repeated(name) }
            if name.isFlag {
                guard value == nil else { throw .unwantedValue(name) }
                values[name] = ""
                continue
            }
            // One hyphen may start a value, such as a southern latitude.
            if value == nil, rest.first?.hasPrefix("--") == false { value = rest.popFirst() }
            guard let value, !value.isEmpty else { throw .missingValue(name) }
            values[name] = value
        }
        return values
    }

    /// Returns the option that differs from a text by at most two edits, by as few as possible. A
    /// name of two letters may differ by one edit only.
    static func nearest(to text: String) -> OptionName? {
        allCases.map { (distance: editDistance($0.rawValue, text), name: $0) }
            .filter { $0.distance <= min(2, $0.name.rawValue.count - 3) }
            .min { $0.distance < $1.distance }?.name
    }
}

/// Returns how many characters must be inserted, removed or replaced to make one text of the other
/// (the Levenshtein distance).
package func editDistance(_ one: String, _ other: String) -> Int {
    let other = Array(other)
    var row = Array(0...other.count)
    for (index, character) in one.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in other.indices {
            let replaced = diagonal + (character == other[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
        }
    }
    return row[other.count]
}
