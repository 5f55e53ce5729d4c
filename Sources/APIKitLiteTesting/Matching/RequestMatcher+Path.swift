import APIKitLite
import Foundation

extension RequestMatcher {
    /// Matches requests by a path template: `/users/{id}` matches `/users/42`, and captures `id`.
    public static func path(_ template: String) -> RequestMatcher { any.path(template) }

    /// Requires a path that matches a template: `/users/{id}` matches `/users/42`, and captures
    /// `id`.
    ///
    /// The template must match the whole path, segment by segment. A segment has at most one name,
    /// with optional text before and after the name. A captured value is never empty. In the last
    /// segment, a name with `+` captures all remaining segments: `/files/{+path}` matches
    /// `/files/a/b.txt`. Characters may be percent-encoded: in a template, a space and `%20` mean
    /// the same. A template that has two readings matches the paths of both readings: `/100%25`
    /// matches the decoded paths `/100%` and `/100%25`.
    ///
    /// - Parameter template: The path, without a scheme or host. An invalid template is a
    ///   configuration error.
    public func path(_ template: String) -> RequestMatcher {
        if template.contains("://"), !template.hasPrefix("/") {
            return broken(
                "\(template.debugDescription) is a URL, where a stub takes "
                    + "a path such as /users. The host has a criterion of its own, .host(_:).")
        }
        do {
            let parsed = try PathTemplate(template)
            let unescaped = parsed.unescaped
            let hint = PathTemplate.hint(for: template)
            return addingPath("path", template, hint: hint) { segments in
                parsed.match(segments) ?? unescaped?.match(segments)
            }
        } catch {
            return broken("\(error)")
        }
    }

    /// Requires a path, percent-encoded as in a URL. The path is not a template.
    ///
    /// Use this criterion for paths that could have another meaning as templates, such as paths
    /// with braces or percent escapes.
    ///
    /// - Parameter path: The path. A `?` or `#` in the path is a configuration error.
    public func path(exactly path: String) -> RequestMatcher {
        if path.utf8.contains(where: { "?#".utf8.contains($0) }) {
            return broken(
                ".path(exactly:) was given a ? or #. Escape it, or use .query(exactly:).")
        }
        let segments = PathTemplate.decodedSegments(ofPath: path)
        return addingPath("path exactly", path) { [isRecorded] in
            segments[...].elementsEqual($0) { $0.matches($1, marks: isRecorded) } ? [:] : nil
        }
    }

    /// Returns the matcher with a criterion for the path. `match` returns the values captured from
    /// segments, or nil if the segments do not match. `hint` is advice for a template in another
    /// notation.
    private func addingPath(
        _ noun: String, _ path: String, hint: String? = nil,
        _ match: @escaping @Sendable (ArraySlice<String>) -> [String: String]?
    ) -> RequestMatcher {
        // A template that begins with a name would match the end of almost any path.
        let mayFollowBase = !["", "/"].contains(path) && !path.prefix(2).contains("{")
        /// Returns advice about a request whose path differs in only one way.
        @Sendable func advice(_ reading: RequestReading) -> [String] {
            let segments = reading.segments[...]
            var advice: [String] = []
            if mayFollowBase {
                let base = segments.indices.dropFirst().first {
                    segments[$0 - 1] != "" && match(segments[$0...]) != nil
                }
                if let base {
                    let added = "/" + segments[..<base].joined(separator: "/")
                    let whole = added + (path.hasPrefix("/") ? "" : "/") + path
                    advice.append("If the base URL adds \(added), write \(whole).")
                }
                let expected = PathTemplate.decodedSegments(ofPath: path)
                let start = expected.indices.dropFirst().first {
                    !expected[$0].hasPrefix("{") && match(expected[..<$0] + segments) != nil
                }
                if let start {
                    advice.append(
                        "The request lacks /\(expected[..<start].joined(separator: "/")). Perhaps "
                            + "its URL was made without the path of the base URL.")
                }
            }
            let others = segments.dropLast().filter { !$0.isEmpty } + segments.suffix(1)
            if match(others[...]) != nil {
                advice.append("The request has an empty segment: //.")
            }
            if match(segments.last == "" ? segments.dropLast() : segments + [""]) != nil {
                advice.append("They differ in the slash at the end.")
            }
            return advice
        }
        return adding("\(noun) \(path.isEmpty ? "/" : path)") { reading in
            guard let values = match(reading.segments[...]) else { return false }
            if !values.isEmpty { reading.record.pathValues.merge(values) { _, new in new } }
            return true
        } or: { reading in
            let (actual, near) = (reading.url.path, advice(reading))
            return MatchReport.Difference(
                "the request has \(actual.isEmpty ? "/" : actual)",
                details: near + [hint].compactMap(\.self), isNear: !near.isEmpty)
        }
    }
}
