import APIKitLite
import Foundation

extension RequestMatcher {
    /// A method, by its exact name.
    public func method(_ name: String) -> RequestMatcher {
        var matcher = self
        matcher.key.method = matcher.key.method ?? name
        return matcher.adding("method \(name)") {
            $0.method == name
        } or: {
            .has($0.method)
        }
    }

    /// A scheme, such as `https`, without case.
    public func scheme(_ name: String) -> RequestMatcher {
        let name = name.lowercased()
        return adding("scheme \(name)") {
            $0.url.scheme == name
        } or: {
            .has($0.url.scheme.isEmpty ? "none" : $0.url.scheme)
        }
    }

    /// A host, such as `api.example.com`, without case and without a port.
    public func host(_ name: String) -> RequestMatcher {
        // Foundation writes an international name in the letters that are sent.
        let url = URL(string: "https://\(name)").map { URLParts($0.absoluteString) }
        guard let url, !url.host.isEmpty, url.explicitPort == nil, url.path.isEmpty else {
            return broken(
                ".host(_:) was given \(name.debugDescription), which is not a host alone. "
                    + "The scheme and the port have criteria of their own.")
        }
        return adding("host \(url.host)") {
            $0.url.host == url.host
        } or: {
            .has($0.url.host.isEmpty ? "none" : $0.url.host)
        }
    }

    /// A port. A URL that names none has the usual one of its scheme: `https` 443, `http` 80.
    public func port(_ number: Int) -> RequestMatcher {
        adding("port \(number)") {
            $0.url.port == number
        } or: {
            .has($0.url.port.map { "\($0)" } ?? "none")
        }
    }

    /// A path template: `/users/{id}` matches `/users/42`, and captures `id`.
    ///
    /// The whole path counts, segment by segment; a captured value is not empty. A space may be
    /// written as it is or as `%20`, and so may any other text: `/100%25` is the path of `/100%`, and
    /// that of `/100%25` too.
    public func path(_ template: String) -> RequestMatcher {
        if template.contains("://") {
            return broken(
                "\(Redaction.standard.url(template).debugDescription) is a URL, where a stub takes "
                    + "a path such as /users. The host has a criterion of its own, .host(_:).")
        }
        do {
            let parsed = try PathTemplate(template)
            let unescaped = parsed.unescaped
            var matcher = self
            matcher.key.path =
                matcher.key.path ?? unescaped.map {
                    // Both are looked for, so the index must not decide.
                    zip(parsed.literals, $0.literals).map { $0 == $1 ? $0 : nil }
                } ?? parsed.literals
            return matcher.addingPath("path \(shownPath(template))") {
                parsed.match($0.segments[...]) ?? unescaped?.match($0.segments[...])
            }
        } catch {
            return broken("\(error)")
        }
    }

    /// A path without names in it, percent-encoded, as a URL has it.
    ///
    /// For what a template cannot say: braces, and an escaped `/` inside a segment.
    public func path(exactly path: String) -> RequestMatcher {
        if path.utf8.contains(where: { "?#".utf8.contains($0) }) {
            return broken(
                ".path(exactly:) was given a ? or #. Escape it, or use .query(exactly:).")
        }
        let segments = PathTemplate.decodedSegments(ofPath: path)
        var matcher = self
        matcher.key.path = matcher.key.path ?? segments
        return matcher.addingPath("path exactly \(shownPath(path))") {
            $0.segments == segments ? [:] : nil
        }
    }

    /// The first segments of a path, which may be a template: `/v1` matches `/v1` and `/v1/users`,
    /// but not `/v10`.
    public func path(prefix: String) -> RequestMatcher {
        do {
            let text = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
            let parsed = try PathTemplate(text)
            let unescaped = parsed.unescaped
            let count = text.isEmpty || text == "/" ? 0 : parsed.literals.count
            // With a slash at its end, something must follow.
            let least = text == prefix ? count : count + 1
            return addingPath("path prefix \(shownPath(prefix))") {
                guard $0.segments.count >= least else { return nil }
                let segments = $0.segments.prefix(count)
                return count == 0 ? [:] : parsed.match(segments) ?? unescaped?.match(segments)
            }
        } catch {
            return broken("\(error)")
        }
    }

    private func addingPath(
        _ description: String, _ match: @escaping @Sendable (RequestReading) -> [String: String]?
    ) -> RequestMatcher {
        adding(description) { reading in
            guard let values = match(reading) else { return false }
            if !values.isEmpty { reading.pathValues.merge(values) { _, new in new } }
            return true
        } or: {
            .has(shownPath($0.url.path))
        }
    }

    /// A header, whose name is compared without case.
    ///
    /// - Parameters:
    ///   - name: The name of the header.
    ///   - value: The whole value, with case; nil takes any.
    public func header(_ name: String, _ value: String? = nil) -> RequestMatcher {
        @Sendable func shown(_ value: String?) -> String {
            guard let value else { return name }
            return "\(name): \(Redaction.standard.headerValue(value, named: name))"
        }
        return adding("header \(shown(value))") { reading in
            let actual = reading.request.value(forHTTPHeaderField: name)
            return value == nil ? actual != nil : actual == value
        } or: { reading in
            guard let actual = reading.request.value(forHTTPHeaderField: name) else {
                return .has("no \(name)")
            }
            let isHidden = shown(actual) == shown(value)
            return .has(isHidden ? "another value" : shown(actual))
        }
    }
}

/// A path as a text may show it.
private func shownPath(_ path: String) -> String {
    path.isEmpty ? "/" : Redaction.standard.url(path)
}
