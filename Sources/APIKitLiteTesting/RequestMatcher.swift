import APIKitLite
import Foundation

/// Says which requests a stub answers: criteria that must all hold.
///
/// ```swift
/// network.stub(.get("/users/{id}").query(["page": "2"]), .json("[]"))
/// ```
public struct RequestMatcher: Sendable, CustomStringConvertible {
    /// One thing that a request must have.
    struct Criterion: Sendable {
        enum Outcome {
            case matches(captured: [String: String] = [:])
            /// With what the request has instead.
            case differs(String)
        }

        let description: String
        let check: @Sendable (RecordedRequest) -> Outcome
    }

    var criteria: [Criterion] = []
    /// What is wrong with the matcher, for the place that stubs it.
    var mistake: String?

    /// The criteria, in their order.
    public var description: String {
        criteria.isEmpty
            ? "any request" : criteria.map(\.description).joined(separator: ", ")
    }

    func adding(
        _ description: String, _ check: @escaping @Sendable (RecordedRequest) -> Criterion.Outcome
    ) -> RequestMatcher {
        var matcher = self
        matcher.criteria.append(Criterion(description: description, check: check))
        return matcher
    }

    /// Every criterion with its outcome.
    func report(on request: RecordedRequest) -> MatchReport {
        MatchReport(
            lines: criteria.map { ($0.description, $0.check(request)) })
    }

    /// The captured path values, or nil where a criterion does not hold.
    func match(_ request: RecordedRequest) -> [String: String]? {
        var captured: [String: String] = [:]
        for criterion in criteria {
            guard case .matches(let values) = criterion.check(request) else { return nil }
            captured.merge(values) { _, new in new }
        }
        return captured
    }
}

/// What a matcher found in one request.
struct MatchReport {
    let lines: [(criterion: String, outcome: RequestMatcher.Criterion.Outcome)]

    var hits: Int {
        lines.count { if case .matches = $0.outcome { true } else { false } }
    }

    var text: String {
        lines.map { criterion, outcome in
            switch outcome {
            case .matches: "  ✓ \(criterion)"
            case .differs(let actual): "  ✗ \(criterion), but the request has \(actual)"
            }
        }
        .joined(separator: "\n")
    }
}

extension RequestMatcher {
    /// Every request.
    public static var any: RequestMatcher { RequestMatcher() }

    /// `GET` on a path template.
    public static func get(_ path: String) -> RequestMatcher { method("GET").path(path) }

    /// `HEAD` on a path template.
    public static func head(_ path: String) -> RequestMatcher { method("HEAD").path(path) }

    /// `POST` on a path template.
    public static func post(_ path: String) -> RequestMatcher { method("POST").path(path) }

    /// `PUT` on a path template.
    public static func put(_ path: String) -> RequestMatcher { method("PUT").path(path) }

    /// `PATCH` on a path template.
    public static func patch(_ path: String) -> RequestMatcher { method("PATCH").path(path) }

    /// `DELETE` on a path template.
    public static func delete(_ path: String) -> RequestMatcher { method("DELETE").path(path) }

    /// A method, by its exact name.
    public static func method(_ name: String) -> RequestMatcher { any.method(name) }

    /// A path template: `/users/{id}` matches `/users/42`, and captures `id`.
    public static func path(_ template: String) -> RequestMatcher { any.path(template) }

    /// Query items that must be there, in any order, among others.
    public static func query(_ items: [String: String]) -> RequestMatcher { any.query(items) }

    /// A method, by its exact name.
    public func method(_ name: String) -> RequestMatcher {
        adding("method \(name)") {
            $0.method == name ? .matches() : .differs($0.method)
        }
    }

    /// A path template: `/users/{id}` matches `/users/42`, and captures `id`.
    ///
    /// The whole path counts, segment by segment; a captured value is not empty.
    public func path(_ template: String) -> RequestMatcher {
        let parsed: PathTemplate
        do {
            parsed = try PathTemplate(template)
        } catch {
            var matcher = self
            matcher.mistake = "\(error)"
            return matcher
        }
        return adding("path \(template)") { request in
            let path = request.percentEncodedPath
            return parsed.match(percentEncodedPath: path).map { .matches(captured: $0) }
                ?? .differs(path.isEmpty ? "/" : path)
        }
    }

    /// Query items that must be there, in any order, among others.
    public func query(_ items: [String: String]) -> RequestMatcher {
        items.sorted { $0.key < $1.key }.reduce(self) { matcher, item in
            matcher.adding("query \(shown(item.key, item.value))") { request in
                let values = request.queryItems.filter { $0.name == item.key }.map(\.value)
                if values.contains(item.value) { return .matches() }
                guard let actual = values.first else { return .differs("no \(item.key)") }
                return .differs(shown(item.key, actual))
            }
        }
    }
}

/// A query item as a text may show it.
private func shown(_ name: String, _ value: String?) -> String {
    guard let value else { return name }
    return "\(name)=\(Redaction.standard.hides(name) ? Redaction.mark : value)"
}
