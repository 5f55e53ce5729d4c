import APIKitLite

extension PathTemplate {
    /// The template with its literal text percent-decoded; nil if that text has no escapes.
    var unescaped: PathTemplate? {
        var template = self
        for index in segments.indices {
            template.segments[index].prefix = segments[index].prefix.percentDecoded()
            template.segments[index].suffix = segments[index].suffix.percentDecoded()
        }
        return template == self ? nil : template
    }

    /// Returns the decoded segments of a percent-encoded path. An empty path counts as `/`.
    ///
    /// The path is split before it is decoded, so an escaped slash does not separate segments.
    static func decodedSegments(ofPath path: String) -> [String] {
        let segments = segments(of: path)
        return path.utf8.contains(UInt8(ascii: "%"))
            ? segments.map { $0.percentDecoded() } : segments
    }

    /// Returns the value of each name in the template, or nil if the template does not match the
    /// path.
    ///
    /// A value must have at least one character, and must be the same wherever its name occurs.
    func match(_ path: ArraySlice<String>) -> [String: String]? {
        let keepsSlashes = segments.last?.keepsSlashes ?? false
        guard path.count == segments.count || keepsSlashes else { return nil }
        var values: [String: String] = [:]
        for (index, segment) in segments.enumerated() {
            let texts = path.dropFirst(index)
            guard let first = texts.first,
                let value = segment.value(
                    in: segment.keepsSlashes ? texts.joined(separator: "/") : first)
            else { return nil }
            guard let name = segment.name else { continue }
            if values[name, default: value] != value { return nil }
            values[name] = value
        }
        return values
    }
}

extension PathTemplate.Segment {
    /// Returns the value of the segment's name, `""` for a segment without a name, or nil if the
    /// text does not match.
    fileprivate func value(in text: String) -> String? {
        guard name != nil else { return text.utf8.elementsEqual(prefix.utf8) ? "" : nil }
        let (start, end) = (prefix.utf8.count, suffix.utf8.count)
        guard text.utf8.count > start + end, text.utf8.starts(with: prefix.utf8),
            text.utf8.suffix(end).elementsEqual(suffix.utf8)
        else { return nil }
        return String(decoding: text.utf8.dropFirst(start).dropLast(end), as: UTF8.self)
    }
}
