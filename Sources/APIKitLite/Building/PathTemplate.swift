/// A path with names in braces, such as `/users/{id}`, `/files/{name}.json` or `/files/{+path}`.
///
/// The value of a name is one segment, or a part of one. The value of a name with `+` may have
/// slashes, which stay (RFC 6570, section 3.2.3). Unlike there, a `?`, `#` or `%` is escaped.
///
/// A request replaces the names with values. A stub reads the values from a request's path.
package struct PathTemplate: Equatable, Sendable {
    package let text: String
    /// The names, in the order in which they first occur.
    package let names: [String]
    private var segments: [[Piece]]

    enum Piece: Equatable {
        case literal(String)
        case name(String, keepsSlashes: Bool)
    }

    /// Reads a template. A leading slash may be left out.
    ///
    /// - Throws: ``RequestBuildingError`` for a whole URL, for unbalanced braces, for braces without
    ///   a name, for two names without text between them, for a `?` or `#`, and for a segment `.` or
    ///   `..`.
    package init(_ text: String) throws {
        self.text = text
        func unusable(_ problem: String) -> RequestBuildingError {
            Self.unusable(text, problem)
        }
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
                throw unusable("has a segment \(dots), which leads elsewhere. Write it out.")
            }
            guard let pieces = Self.pieces(of: segment) else {
                throw unusable("has a brace without its partner or without a name. Write {name}.")
            }
            if segment.utf8.contains("}{".utf8) {
                throw unusable("has two names without text between them. Write {a}-{b} for {a}{b}.")
            }
            return pieces
        }
        names = segments.joined().reduce(into: []) { names, piece in
            if case .name(let name, _) = piece, !names.contains(name) { names.append(name) }
        }
    }

    /// The template with its literals percent-decoded, for a text that was written as in a URL. If
    /// it has no escapes, nil.
    package var unescaped: PathTemplate? {
        var template = self
        template.segments = segments.map { pieces in
            pieces.map { piece in
                guard case .literal(let text) = piece else { return piece }
                return .literal(PercentEncoding.decode(text))
            }
        }
        return template == self ? nil : template
    }

    /// Returns advice for a template in another notation, `/users/:id` or `/files/*`, or `nil` for
    /// any other template.
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

    /// Returns the percent-encoded path, with a leading slash; `""` for an empty template.
    ///
    /// - Throws: ``RequestBuildingError`` for a name without a value, for a value without a name or
    ///   given twice, for a value that is nil, empty, `.`, `..` or a list, or has such a segment,
    ///   for one that cannot be sent, and for a segment that becomes `.` or `..`.
    package func expand(_ values: RequestItems) throws -> String {
        let texts = try texts(for: values)
        let path = try segments.map { segment in
            let expanded = try segment.map { piece in
                switch piece {
                case .literal(let literal):
                    return PercentEncoding.pathText.encode(literal)
                case .name(let name, let keepsSlashes):
                    guard let value = texts[name] else {
                        throw missingValue(name)
                    }
                    return keepsSlashes
                        ? value.split(separator: "/", omittingEmptySubsequences: false)
                            .map { PercentEncoding.pathText.encode($0) }.joined(separator: "/")
                        : PercentEncoding.pathValue.encode(value)
                }
            }.joined()
            // A value beside a literal dot, or one with slashes, can form such a segment.
            if let dots = Self.dots(in: expanded) {
                throw Self.unusable(
                    text, "comes out with a segment \(dots), which leads elsewhere.")
            }
            return expanded
        }.joined(separator: "/")
        return text.isEmpty ? "" : "/" + path
    }

    private func texts(for values: RequestItems) throws -> [String: String] {
        // Checked before unused values. A misspelt name causes both errors, and the spelling of the
        // template is more likely to be right.
        if let name = names.first(where: { name in !values.items.contains { $0.name == name } }) {
            throw missingValue(name)
        }
        var texts: [String: String] = [:]
        for item in values.items {
            guard names.contains(item.name) else {
                throw Self.unusable(
                    text,
                    "has no {\(item.name)}, but a value for it was given. "
                        + (Self.hint(for: text) ?? "Remove the value, or send it with `query:`."))
            }
            func unusable(_ problem: String) -> RequestBuildingError {
                RequestBuildingError("The value for", item.name, problem)
            }
            guard texts[item.name] == nil else { throw unusable("is given twice. Keep one.") }
            guard let value = item.value else {
                throw unusable("is nil, but a path cannot leave it out. Unwrap it.")
            }
            if case .list = value {
                throw unusable(
                    "is a list, but a path takes one value. Join it, or send it with `query:`.")
            }
            let text = try value.texts(name: item.name).first.flatMap { $0 } ?? ""
            if ["", ".", ".."].contains(text) {
                throw unusable("is \"\(text)\", which would lead to another path. Give text.")
            }
            texts[item.name] = text
        }
        return texts
    }

    private static func unusable(_ template: String, _ problem: String) -> RequestBuildingError {
        RequestBuildingError("The path template", template, problem)
    }

    private func missingValue(_ name: String) -> RequestBuildingError {
        Self.unusable(text, "has no value for {\(name)}. Give one: [\(name.debugDescription): …].")
    }

    /// The first segment of a text that leads to another path, if there is one.
    private static func dots(in text: String) -> String? {
        segments(of: text).first { $0 == "." || $0 == ".." }
    }

    /// Returns the segments of a path, without its leading slash.
    private static func segments(of path: some StringProtocol) -> [String] {
        let path = path.utf8.first == UInt8(ascii: "/") ? path.utf8.dropFirst() : path.utf8[...]
        return path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Splits a segment at its braces. If they are unbalanced or enclose no name, returns nil.
    private static func pieces(of segment: String) -> [Piece]? {
        var pieces: [Piece] = []
        var rest = segment.unicodeScalars[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            if brace > rest.startIndex { pieces.append(.literal(String(rest[..<brace]))) }
            rest = rest[brace...].dropFirst()
            guard segment.unicodeScalars[brace] == "{",
                let end = rest.firstIndex(where: { $0 == "{" || $0 == "}" }),
                end > rest.startIndex, rest[end] == "}"
            else { return nil }
            let keepsSlashes = rest.first == "+"
            let name = keepsSlashes ? rest[..<end].dropFirst() : rest[..<end]
            if name.isEmpty { return nil }
            pieces.append(.name(String(name), keepsSlashes: keepsSlashes))
            rest = rest[end...].dropFirst()
        }
        if !rest.isEmpty { pieces.append(.literal(String(rest))) }
        return pieces
    }

    package var segmentCount: Int { segments.count }

    /// Returns the segments of a percent-encoded path, each decoded. An empty path is equal to `/`.
    package static func decodedSegments(ofPath path: String) -> [String] {
        segments(of: path).map { segment in
            segment.utf8.contains(UInt8(ascii: "%")) ? PercentEncoding.decode(segment) : segment
        }
    }

    /// Returns the value of each name if the template matches the path, otherwise nil.
    ///
    /// The path is split before it is decoded, so a value may contain an escaped slash. An empty
    /// path is equal to `/`. A slash at the end is significant.
    package func match(percentEncodedPath path: String) -> [String: String]? {
        match(Self.decodedSegments(ofPath: path)[...])
    }

    /// Does the same for segments that are already split and decoded.
    package func match(_ found: ArraySlice<String>) -> [String: String]? {
        Self.match(segments[...], found, [:])
    }

    /// Matches the first segment of a template with the first of a path, or with several if it has
    /// a name with `+`, and then the rest.
    private static func match(
        _ template: ArraySlice<[Piece]>, _ found: ArraySlice<String>, _ values: [String: String]
    ) -> [String: String]? {
        guard let pieces = template.first else { return found.isEmpty ? values : nil }
        // Each other segment of the template needs one of the path.
        let most = found.count - template.count + 1
        guard most >= 1 else { return nil }
        let isLong = pieces.contains { if case .name(_, true) = $0 { true } else { false } }
        for count in 1...(isLong ? most : 1) {
            let text =
                count == 1
                ? found[found.startIndex] : found.prefix(count).joined(separator: "/")
            let result = match(pieces[...], text.utf8[...], values, isLong: count > 1) { values in
                match(template.dropFirst(), found.dropFirst(count), values)
            }
            if let result { return result }
        }
        return nil
    }

    /// Matches the pieces of one segment, adds the values of its names, and calls `rest` with them.
    ///
    /// A value has at least one character, and is the same wherever its name occurs. It ends where
    /// the next literal first occurs, or later, if only then the rest matches.
    ///
    /// - Parameter isLong: Whether the text is several segments. Then only a name with `+` may
    ///   have a slash.
    private static func match(
        _ pieces: ArraySlice<Piece>, _ text: Substring.UTF8View, _ values: [String: String],
        isLong: Bool, rest: ([String: String]) -> [String: String]?
    ) -> [String: String]? {
        guard let piece = pieces.first else { return text.isEmpty ? rest(values) : nil }
        let following = pieces.dropFirst()
        switch piece {
        case .literal(let literal):
            guard text.starts(with: literal.utf8) else { return nil }
            let text = text.dropFirst(literal.utf8.count)
            return match(following, text, values, isLong: isLong, rest: rest)
        case .name(let name, let keepsSlashes):
            var end = text.isEmpty ? text.endIndex : text.index(after: text.startIndex)
            while true {
                if case .literal(let literal)? = following.first {
                    guard let next = text[end...].firstRange(of: literal.utf8)?.lowerBound
                    else { return nil }
                    end = next
                } else {
                    end = text.endIndex
                }
                let value = String(Substring(text[..<end]))
                if isLong, !keepsSlashes, value.utf8.contains(UInt8(ascii: "/")) { return nil }
                if !value.isEmpty, values[name, default: value] == value {
                    var values = values
                    values[name] = value
                    let result = match(following, text[end...], values, isLong: isLong, rest: rest)
                    if let result { return result }
                }
                guard end < text.endIndex else { return nil }
                end = text.index(after: end)
            }
        }
    }
}
