import Foundation

/// What is wrong with the command line. Each case holds the text that was given.
package enum UsageError: LocalizedError, Equatable {
    case missingPlace
    case unknown(String)
    case repeated(String)
    case missingValue(String)
    case unwantedValue(String)
    case servesOnly(String)
    case notACoordinate(String)
    case offTheGlobe(String)
    case baseURL(String)
    case limit(String)
    case port(String)

    /// One sentence that says what to write instead.
    package var errorDescription: String? {
        switch self {
        case .missingPlace:
            "Say where to look, such as --near 37.3293,-121.8893, or see --help."
        case .unknown(let argument):
            "There is no option \"\(argument)\"; see --help for those that there are."
        case .repeated(let name):
            "\(name) is given twice; give it once."
        case .missingValue(let name):
            "\(name) needs a value; see --help for an example."
        case .unwantedValue(let name):
            "\(name) takes no value; write \(name) alone."
        case .servesOnly(let other):
            "--serve starts the server and nothing else; leave \(other) out."
        case .notACoordinate(let text):
            "--near takes latitude,longitude in degrees, such as 37.3293,-121.8893, "
                + "not \"\(text)\"."
        case .offTheGlobe(let text):
            "--near takes a latitude from -90 to 90 and a longitude from -180 to 180, "
                + "not \"\(text)\"."
        case .baseURL(let text):
            "--base-url takes an http or https URL with a host and without a #, "
                + "such as http://127.0.0.1:8080, not \"\(text)\"."
        case .limit(let text):
            "--limit takes a whole number from 1 to 100, not \"\(text)\"."
        case .port(let text):
            "--serve takes a port from 0 to 65535, where 0 is any that is free, not \"\(text)\"."
        }
    }
}
