import APIKitLite
import APIKitLiteTesting
import Foundation
import PointsOfInterest

/// Why the command ends without a result, for the user.
package struct Failure: Error, Equatable, Encodable {
    /// One sentence about what is wrong.
    package let error: String
    /// One sentence about what to do.
    package let hint: String
    /// The exit code: 64 for a wrong command line (`EX_USAGE`), 130 after control-C, otherwise 1.
    package let exitCode: Int32

    // The keys that scripts read.
    private enum CodingKeys: String, CodingKey { case error, hint }

    /// A wrong command line.
    package init(_ error: UsageError) {
        self.init(error: error.error, hint: error.hint, exitCode: 64)
    }

    /// A load that failed. The sentence names the server.
    ///
    /// - Parameter purpose: What failed, before the URL of the server.
    package init(
        _ error: APIRequestError, from baseURL: URL, purpose: String = "load places from"
    ) {
        // No punctuation follows the URL: a terminal would copy it along.
        self.init(
            error: "Cannot \(purpose) \(shown(baseURL)) because \(reason(for: error))",
            hint: advice(about: error))
    }

    /// A server that did not start.
    package init(_ error: LoopbackServerError) {
        switch error {
        case .portInUse(let port):
            self.init(error: "Port \(port) is in use.", hint: anotherPort)
        case .cannotListen(let port, let reason):
            self.init(error: "Port \(port) cannot be used (\(reason)).", hint: anotherPort)
        }
    }

    /// Anything else.
    package init(_ error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as LoopbackServerError: self.init(error)
        default: self.init(error: error.localizedDescription, hint: seeAttempts)
        }
    }

    /// A download that control-C ended.
    ///
    /// - Parameter byte: The number of bytes that are kept; nil if there are none.
    package static func interruptedDownload(afterByte byte: Int64?) -> Failure {
        let failure = Failure(
            error: "The download was interrupted.", hint: byte == nil ? again : "",
            exitCode: 130)
        return failure.resumable(atByte: byte)
    }

    /// Whether control-C is the reason.
    var isInterruption: Bool { exitCode == 130 }

    /// Returns the failure with a hint that the same command resumes the download.
    ///
    /// - Parameter byte: The number of bytes that are kept. If it is nil, nothing is resumed.
    package func resumable(atByte byte: Int64?) -> Failure {
        guard let byte else { return self }
        let resumption = "The same command resumes at \(size(of: byte))."
        return Failure(
            error: error, hint: hint.isEmpty ? resumption : "\(hint) \(resumption)",
            exitCode: exitCode)
    }

    private init(error: String, hint: String, exitCode: Int32 = 1) {
        self.error = error
        self.hint = hint
        self.exitCode = exitCode
    }

    /// One line for standard error.
    package func line(asJSON: Bool) -> String {
        guard asJSON else { return "pois: \(error) \(hint)\n" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Two strings can always be encoded.
        let json = (try? encoder.encode(self)) ?? Data()
        return String(decoding: json, as: UTF8.self) + "\n"
    }
}

private let anotherPort = "Choose another port, or 0 for any free port."
private let again = "Run the same command again."
private let seeAttempts = "Add --verbose to see each attempt."

private func reason(for error: APIRequestError) -> String {
    if let signIn = (error.underlying as? AuthenticationError)?.underlying {
        return "the sign-in failed: \(reason(for: signIn))"
    }
    if let refusal = try? error.decodeBody(Refusal.self), let status = error.statusCode {
        return "it answered \(status): \(refusal.error.printable)"
    }
    if error.stage == .parse { return "its answer is not the expected JSON." }
    let sentence = error.errorDescription ?? "\(error)"
    return sentence.prefix(1).lowercased() + sentence.dropFirst()
}

private func advice(about error: APIRequestError) -> String {
    if let signIn = (error.underlying as? AuthenticationError)?.underlying {
        return advice(about: signIn)
    }
    switch error.underlying {
    case is DownloadError: return "Choose another file with --to."
    case is FileBodyError: return "Check the path; the file must not change while it is sent."
    default: break
    }
    switch ((error.underlying as? URLError)?.code, error.statusCode, error.stage) {
    case (.timedOut, _, _):
        return "Allow more time with --timeout, or try again later."
    case (.notConnectedToInternet, _, _):
        return "Check the internet connection."
    case (.cannotConnectToHost, _, _), (.cannotFindHost, _, _), (.dnsLookupFailed, _, _):
        return "Check --base-url, or leave it out to use the server inside pois."
    case (_, 429, _), (_, .some(500...), _):
        return "Try again later."
    case (_, _, .parse), (_, 401, _), (_, 403, _), (_, 404, _):
        return "Check that --base-url names a server of this API."
    default:
        return seeAttempts
    }
}

/// Returns a URL without the parts in which secrets are sent.
private func shown(_ url: URL) -> String {
    var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    components?.user = nil
    components?.password = nil
    components?.query = nil
    return components?.string ?? "the server"
}
