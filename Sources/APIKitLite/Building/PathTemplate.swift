/// A path with names in braces, such as `/users/{id}`, `/files/{name}.json` or `/files/{+path}`.
///
/// A segment has at most one name, which may have text before and after it. In the last segment, a
/// `+` before the name keeps the slashes of its value (RFC 6570, section 3.2.3). Unlike in the RFC,
/// `?`, `#` and `%` are escaped.
///
/// Building a request replaces the names with values. A mock reads the values from a request's
/// path.
package struct PathTemplate: Equatable, Sendable {
    private let text: String
    package var segments: [Segment]

    /// Literal text, or a name that may have literal text before and after it.
    package struct Segment: Equatable, Sendable {
        package var prefix: String
        package var name: String?
        package var suffix = ""
        package var keepsSlashes = false
    }

    /// Parses a template. The leading slash is optional.
    package init(_ text: String) throws {
        self.text = text
        segments = []
        if let mark = text.firstRange(of: "://"),
            text[..<mark.lowerBound].allSatisfy(\.isLetter), mark.lowerBound != text.startIndex
        {
            throw unusable("is a whole URL. Give its scheme and host as the base URL.")
        }
        if text.utf8.contains(where: { "?#".utf8.contains($0) }) {
            throw unusable("has a ? or #. Give query items with `query:`; a fragment is not sent.")
        }
        segments = try Self.segments(of: text).map { segment in
            if let dots = Self.dots(in: segment) {
                throw unusable("has a segment `\(dots)`. Replace it by the path that it leads to.")
            }
            guard let parsed = Segment(segment) else {
                throw unusable("has a brace without its partner or without a name. Write {name}.")
            }
            if parsed.suffix.utf8.contains(UInt8(ascii: "{")) {
                throw unusable(
                    "has two names in the segment \(segment). Write one for its whole value.")
            }
            return parsed
        }
        if let name = segments.dropLast().first(where: \.keepsSlashes)?.name {
            throw unusable(
                "has {+\(name)} before another segment. Only the last one keeps its slashes.")
        }
    }

    /// Returns advice for a template in the notation of `/users/:id`, `/files/*` or `/files/**`, or
    /// `nil` for any other template.
    package static func hint(for template: String) -> String? {
        for segment in segments(of: template) {
            let name = segment.dropFirst()
            if segment.hasPrefix(":"), !name.isEmpty {
                return "Write {\(name)} for \(segment): names are in braces."
            }
            if segment == "*" || segment == "**" {
                let name = segment == "*" ? "{name}" : "{+name}, which takes slashes"
                return "Write a name in braces for \(segment), such as \(name)."
            }
        }
        return nil
    }

    /// Returns the percent-encoded path with a leading slash, or `""` for an empty template.
    func expand(_ values: RequestItems) throws -> String {
        let texts = try texts(for: values)
        let path = try segments.map { segment in
            let expanded = segment.expand(texts)
            // A value next to a literal dot, or a value with slashes, can form a `.` or `..`
            // segment.
            if let dots = Self.dots(in: expanded) {
                throw unusable(
                    "comes out with a segment \(dots), which leads to another path. "
                        + "Pass a value without it.")
            }
            return expanded
        }.joined(separator: "/")
        return text.isEmpty ? "" : "/" + path
    }

    private func texts(for values: RequestItems) throws -> [String: String] {
        let names = segments.compactMap(\.name)
        // Missing values are reported before unused values. A misspelled name causes both errors,
        // and the misspelling is more likely among the values than in the template.
        if let name = names.first(where: { name in !values.items.contains { $0.name == name } }) {
            throw unusable("has no value for {\(name)}. Give one: [\(name.debugDescription): …].")
        }
        var texts: [String: String] = [:]
        for item in values.items {
            guard names.contains(item.name) else {
                throw unusable(
                    "has no {\(item.name)}, but a value for it was given. "
                        + (Self.hint(for: text) ?? "Remove the value, or send it with `query:`."))
            }
            func refusal(_ problem: String) -> RequestBuildingError {
                RequestBuildingError("The value for", item.name, problem)
            }
            guard texts[item.name] == nil else { throw refusal("is given twice. Keep one.") }
            let all = try item.texts
            guard let value = all.first else {
                throw refusal("is nil, but a path cannot leave it out. Unwrap it.")
            }
            if all.count > 1 {
                throw refusal(
                    "is a list, but a path takes one value. Join it, or send it with `query:`.")
            }
            if ["", ".", ".."].contains(value) {
                throw refusal(
                    "is \"\(value)\", which would lead to another path. Pass other text.")
            }
            texts[item.name] = value
        }
        return texts
    }

    private func unusable(_ problem: String) -> RequestBuildingError {
        RequestBuildingError("The path template", text, problem)
    }

    /// Returns the first `.` or `..` segment in the text, if there is one.
    private static func dots(in text: String) -> String? {
        segments(of: text).first { $0 == "." || $0 == ".." }
    }

    /// Returns the segments of a path. A leading slash is ignored.
    package static func segments(of path: String) -> [String] {
        let path = path.utf8.first == UInt8(ascii: "/") ? path.utf8.dropFirst() : path.utf8[...]
        return path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

extension PathTemplate.Segment {
    /// Parses a segment up to a second name. Returns nil for an unpaired brace or an empty name.
    fileprivate init?(_ text: String) {
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(where: { $0 == "{" || $0 == "}" }) else {
            self.init(prefix: text)
            return
        }
        let inner = scalars[start...].dropFirst()
        guard scalars[start] == "{", let end = inner.firstIndex(where: { $0 == "{" || $0 == "}" }),
            scalars[end] == "}"
        else { return nil }
        let keepsSlashes = inner.first == "+"
        let name = inner[..<end].dropFirst(keepsSlashes ? 1 : 0)
        let suffix = scalars[end...].dropFirst()
        let nextBrace = suffix.first { $0 == "{" || $0 == "}" }
        guard !name.isEmpty, nextBrace != "}" else { return nil }
        self.init(
            prefix: String(scalars[..<start]), name: String(name), suffix: String(suffix),
            keepsSlashes: keepsSlashes)
    }

    /// Returns the percent-encoded segment, with a value in place of the name in braces.
    fileprivate func expand(_ values: [String: String]) -> String {
        let value = name.flatMap { values[$0] } ?? ""
        let encoding = keepsSlashes ? PercentEncoding.path : .pathValue
        return PercentEncoding.pathText.encode(prefix) + encoding.encode(value)
            + PercentEncoding.pathText.encode(suffix)
    }
}
