import Foundation

/// What is wrong with the command line. Most cases hold the text that was given.
package enum UsageError: LocalizedError, Equatable {
    case nothingToDo
    case unknown(String, nearest: OptionName?)
    case repeated(OptionName)
    case missingValue(OptionName)
    case unwantedValue(OptionName)
    case conflict(OptionName, OptionName)
    case allWithoutSearch
    case countWithoutWatch
    case toWithoutDownload
    case limitRateWithoutDownload
    case notACoordinate(String)
    case offTheGlobe(String)
    case baseURL(String)
    case limit(String)
    case limitRate(String)
    case count(String)
    case timeout(String)
    case port(String)

    /// One sentence about what is wrong.
    package var error: String {
        switch self {
        case .nothingToDo: "There is nothing to look for."
        case .unknown(let argument, _): "There is no option \"\(argument)\"."
        case .repeated(let name): "\(name.rawValue) is given twice."
        case .missingValue(let name): "\(name.rawValue) needs a value."
        case .unwantedValue(let name): "\(name.rawValue) takes no value."
        case .conflict(let name, let other):
            "\(name.rawValue) and \(other.rawValue) exclude each other."
        case .allWithoutSearch: "--all needs --search."
        case .countWithoutWatch: "--count needs watch."
        case .toWithoutDownload: "--to needs download."
        case .limitRateWithoutDownload: "--limit-rate needs download or --serve."
        case .notACoordinate(let text): "--near cannot be \"\(text)\"."
        case .offTheGlobe(let text): "--near \"\(text)\" is not on the globe."
        case .baseURL(let text): "--base-url cannot be \"\(text)\"."
        case .count(let text): "--count cannot be \"\(text)\"."
        case .limitRate(let text): "--limit-rate cannot be \"\(text)\"."
        case .limit(let text): "--limit cannot be \"\(text)\"."
        case .timeout(let text): "--timeout cannot be \"\(text)\"."
        case .port(let text): "--serve cannot be \"\(text)\"."
        }
    }

    /// One sentence about what to write instead.
    package var hint: String {
        switch self {
        case .nothingToDo:
            "Use --near 37.3293,-121.8893 or --search \"San Jose\"; see --help."
        case .unknown(_, let nearest):
            nearest.map { "Did you mean \($0.rawValue)?" } ?? "See --help for all options."
        case .repeated(let name): "Give \(name.rawValue) once."
        case .missingValue(let name): "For example: \(name.rawValue) \(name.exampleValue)"
        case .unwantedValue(let name): "Write \(name.rawValue) alone."
        case .conflict(_, let other): "Leave \(other.rawValue) out."
        case .allWithoutSearch: "With --near, use --limit."
        case .countWithoutWatch: "With --near or --search, use --limit."
        case .toWithoutDownload: "Leave --to out."
        case .limitRateWithoutDownload: "Leave --limit-rate out."
        case .limitRate: "Give 1 to 1000M bytes in a second, such as 50k."
        case .count: "Give a whole number from 1."
        case .notACoordinate:
            "Give a latitude and a longitude in degrees, such as 37.3293,-121.8893."
        case .offTheGlobe:
            "Give a latitude from -90 to 90 and a longitude from -180 to 180."
        case .baseURL:
            "Give an http or https URL with a host and without a #, such as http://127.0.0.1:8080"
        case .limit: "Give a whole number from 1 to 100."
        case .timeout: "Give seconds from 0.001 to 3600."
        case .port: "Give a port from 0 to 65535; 0 takes any free port."
        }
    }

    /// Both sentences.
    package var errorDescription: String? { error + " " + hint }
}

extension OptionName {
    /// A value to copy. Quoted where a shell would split it.
    fileprivate var exampleValue: String {
        switch self {
        case .baseURL: "http://127.0.0.1:8080"
        case .count: "3"
        case .limit: "10"
        case .limitRate: "50k"
        case .near: "37.3293,-121.8893"
        case .search: "\"San Jose\""
        case .serve: "8080"
        case .timeout: "10"
        case .to, .upload: "places.json"
        case .all, .download, .flaky, .help, .json, .verbose, .version, .watch: ""
        }
    }
}
