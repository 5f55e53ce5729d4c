import APIKitLite
import Foundation
import TestSupport
import Testing

@testable import APIKitLiteTesting

/// One row of a table: a matcher, and requests that it takes or leaves.
struct MatchCase: CustomTestStringConvertible, Sendable {
    let matcher: RequestMatcher
    let takes: [URLRequest]
    let leaves: [URLRequest]

    init(_ matcher: RequestMatcher, takes: [URLRequest], leaves: [URLRequest]) {
        (self.matcher, self.takes, self.leaves) = (matcher, takes, leaves)
    }

    var testDescription: String { "\(matcher)" }

    func check(_ location: SourceLocation = #_sourceLocation) {
        for request in takes {
            let report = matcher.report(on: RecordedRequest(request: request))
            #expect(
                report.isMatch, "\(matcher): \(request.curlCommand())", sourceLocation: location)
        }
        for request in leaves {
            let report = matcher.report(on: RecordedRequest(request: request))
            #expect(
                !report.isMatch, "\(matcher): \(request.curlCommand())", sourceLocation: location)
        }
    }
}

extension RequestMatcher {
    func report(on request: RecordedRequest) -> MatchReport {
        report(on: RequestReading(request))
    }
}

extension URLRequest {
    static func url(_ text: String, method: String = "GET") -> URLRequest {
        var request = URLRequest(url: URL(string: text)!)
        request.httpMethod = method
        return request
    }

    static func query(_ text: String) -> URLRequest { .url("https://h/a" + text) }

    static func json(_ text: String) -> URLRequest {
        var request = URLRequest.test("a", method: "POST", body: text)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return request
    }

    static func form(_ text: String, type: String? = "application/x-www-form-urlencoded")
        -> URLRequest
    {
        var request = URLRequest.test("a", method: "POST", body: text)
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        return request
    }

    func with(_ name: String, _ value: String) -> URLRequest {
        var request = self
        request.setValue(value, forHTTPHeaderField: name)
        return request
    }
}
