import APIKitLite
import Foundation

/// What a request is driven through by `checkLoader`.
public enum LoaderSituation: Hashable, Sendable, CustomStringConvertible {
    /// The sample as it is.
    case success
    /// The sample under another status; a redirect without a `Location`, a 429 or 503 with a
    /// `Retry-After`.
    case status(Int)
    /// A page of HTML from something on the way.
    case html(status: Int)
    /// The status and headers of the sample, without its body.
    case emptyBody
    /// Half of the sample's body.
    case truncatedBody
    /// JSON with all values of other types.
    case wrongTypes
    /// JSON with an array around the object, or an object around the array.
    case wrongTopLevel
    /// JSON `null`.
    case null
    /// An error on the way.
    case error(URLError.Code)
    /// No answer until the request times out.
    case noAnswer
    /// A connection that ends before the headers.
    case cutHeaders
    /// A connection that ends in the middle of the body.
    case cutBody
    /// A task that is cancelled when the load begins.
    case cancelledBefore
    /// A task that is cancelled when the request was sent and not yet answered.
    case cancelledDuring

    /// The situation in a few words.
    public var description: String {
        switch self {
        case .success: "success"
        case .status(let status): "status \(status)"
        case .html(let status): "HTML, status \(status)"
        case .emptyBody: "empty body"
        case .truncatedBody: "truncated body"
        case .wrongTypes: "wrong types"
        case .wrongTopLevel: "wrong top level"
        case .null: "null"
        case .error(let code): URLError.name(of: code)
        case .noAnswer: "no answer"
        case .cutHeaders: "cut before the headers"
        case .cutBody: "cut within the body"
        case .cancelledBefore: "cancelled before"
        case .cancelledDuring: "cancelled during"
        }
    }

    /// All that can be made of a sample, in the order of a report.
    static func all(of sample: MockResponse) -> [LoaderSituation] {
        let statuses = [
            201, 204, 301, 304, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504,
        ].filter { $0 != sample.status }
        let hasBody = !sample.body.isEmpty
        let isJSON = (try? JSONValue(sample.body)) != nil
        return [.success] + statuses.map { .status($0) } + [.html(status: 200), .html(status: 502)]
            + (hasBody ? [.emptyBody, .truncatedBody] : [])
            + (isJSON ? [.wrongTypes, .wrongTopLevel, .null] : [])
            + [.error(.notConnectedToInternet), .error(.timedOut), .error(.networkConnectionLost)]
            + [.error(.cannotFindHost), .error(.secureConnectionFailed), .error(.cancelled)]
            + [.noAnswer, .cutHeaders, .cutBody, .cancelledBefore, .cancelledDuring]
    }

    func response(from sample: MockResponse) -> MockResponse {
        let half = sample.body.count / 2
        let fault: Fault
        switch self {
        case .success, .cancelledBefore: return sample
        case .status(let status):
            let retryAfter = [429, 503].contains(status) ? "120" : nil
            fault = .status(status, retryAfter: retryAfter)
        case .html(let status): fault = .html(status: status)
        case .emptyBody: fault = .emptyBody
        case .truncatedBody: fault = .truncated(toBytes: half)
        case .wrongTypes: fault = .wrongTypes
        case .wrongTopLevel: fault = .wrongTopLevel
        case .null: fault = .null(at: "$")
        case .error(let code): fault = .error(code)
        case .noAnswer, .cancelledDuring: fault = .noAnswer
        case .cutHeaders: fault = .cutBeforeHeaders
        case .cutBody: fault = .cut(afterBytes: half)
        }
        return fault.response(from: sample)
    }
}

/// What a request came to in every situation, as `checkLoader` has seen it.
///
/// `print` shows a table; a test can compare it, or look at single situations:
///
/// ```swift
/// #expect(report[.status(404)] == .error(.validate))
/// ```
public struct LoaderReport: Equatable, Sendable, CustomStringConvertible {
    /// What the request was driven through, in order.
    public private(set) var situations: [LoaderSituation] = []
    private var outcomes: [LoaderSituation: LoadOutcome] = [:]

    /// What the load ended in; nil where the request was not driven through it, as with wrong JSON
    /// for a sample that is none.
    public internal(set) subscript(_ situation: LoaderSituation) -> LoadOutcome? {
        get { outcomes[situation] }
        set {
            if outcomes[situation] == nil { situations.append(situation) }
            outcomes[situation] = newValue
        }
    }

    /// A line for each situation, in two columns.
    public var description: String {
        let width = situations.map(\.description.count).max() ?? 0
        return situations.map { situation in
            let name = situation.description.padding(
                toLength: width + 2, withPad: " ", startingAt: 0)
            return name + (outcomes[situation]?.description ?? "")
        }.joined(separator: "\n")
    }
}

/// What a request does not do that every request must. `checkLoader` throws it.
public struct LoaderFailure: LocalizedError, CustomStringConvertible, Sendable {
    /// What is wrong, in the order of the situations.
    public let findings: [String]

    /// Everything that was seen.
    public let report: LoaderReport

    let subject: String
    let sourceLocation: String

    /// What is wrong, one to a line.
    public var description: String {
        (["\(subject) failed its check (\(sourceLocation)):"] + findings.map { "  \($0)" })
            .joined(separator: "\n")
    }

    /// The same text.
    public var errorDescription: String? { description }
}
