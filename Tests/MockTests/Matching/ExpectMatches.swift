import APIKitLite
import TestSupport

@testable import APIKitLiteTesting

/// Checks which requests a matcher takes, and which it leaves.
func expect(
    _ matcher: RequestMatcher, takes: [URLRequest] = [], leaves: [URLRequest] = [],
    _ location: SourceLocation = #_sourceLocation
) {
    for (request, isMatch) in takes.map({ ($0, true) }) + leaves.map({ ($0, false) }) {
        #expect(
            matcher.report(on: request).isMatch == isMatch, "\(matcher): \(request.curlCommand())",
            sourceLocation: location)
    }
}

/// Checks which requests a matcher takes, and which it leaves. `request` makes each of them from its
/// text, which is that of a URL by default.
func expect(
    _ matcher: RequestMatcher, takes: [String] = [], leaves: [String] = [],
    as request: (String) -> URLRequest = { .url($0) },
    _ location: SourceLocation = #_sourceLocation
) {
    expect(matcher, takes: takes.map(request), leaves: leaves.map(request), location)
}

extension RequestMatcher {
    func report(on request: RecordedRequest) -> MatchReport {
        report(on: RequestReading(request))
    }

    func report(on request: URLRequest) -> MatchReport {
        report(on: RecordedRequest(request: request))
    }
}

extension URLRequest {
    /// A request of a URL, of a path of `https://h`, or of `https://h/a` with a query or none.
    static func url(_ text: String, method: String = "GET") -> URLRequest {
        let isAbsolute = URL(string: text)?.scheme != nil
        let path = text.hasPrefix("/") ? text : "/a\(text)"
        var request = URLRequest(url: URL(string: isAbsolute ? text : "https://h\(path)")!)
        request.httpMethod = method
        return request
    }

    static func json(_ text: String) -> URLRequest { .form(text, type: "application/json") }

    static func form(_ text: String, type: String? = PlantedSecret.form) -> URLRequest {
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
