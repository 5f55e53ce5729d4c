import APIKitLite

extension ValueWalk {
    /// Returns the values of items in URLs, such as `token=abc` after `?`, `&`, `#` or `;`, and the
    /// user info of URLs.
    ///
    /// - Parameters:
    ///   - isURL: Whether the text itself may be a URL. In any other text, a URL has a scheme or
    ///     begins with `/`: minified code has other question marks.
    ///   - isForm: Whether the lines of the text may begin with an item.
    func items(in text: [UInt8], isURL: Bool = true, isForm: Bool = false) -> [NamedValue] {
        var values: [NamedValue] = []
        text.withUnsafeBufferPointer { bytes in
            func string(_ range: Range<Int>) -> String {
                String(decoding: bytes[range], as: UTF8.self)
            }
            for run in bytes.runs(isURL ? Self.endsOfURL : Self.endsInText) {
                let authority = bytes.authority(in: run)
                if let authority, let at = bytes[authority].lastIndex(of: UInt8(ascii: "@")) {
                    let range = authority.lowerBound..<at
                    values.append(
                        NamedValue(
                            kind: "user info of a URL", name: "password",
                            value: PercentEncoding.decode(string(range)), range: range,
                            encoding: .percent))
                }
                let isLine = isForm && (run.lowerBound == 0 || bytes[run.lowerBound - 1] == 0x0A)
                let isReference =
                    isURL && run.lowerBound == 0 || bytes[run.lowerBound] == UInt8(ascii: "/")
                guard isLine || isReference || authority != nil else { continue }
                for item in bytes.items(in: run, isLine: isLine) {
                    let name = PercentEncoding.decode(string(item.name), plusIsSpace: true)
                    guard
                        self.name(name).mayBeSecret
                            || bytes[item.value].contains(where: Self.isMark)
                    else { continue }
                    values.append(
                        NamedValue(
                            kind: isForm ? "form field" : "query item", name: name,
                            value: PercentEncoding.decode(string(item.value), plusIsSpace: true),
                            range: item.value, encoding: .percent))
                }
            }
        }
        return values
    }

    /// Whether a byte, by its value, cannot be a part of a URL.
    private static let endsOfURL = (0...255).map { $0 <= 0x20 || "\"<>\\".utf8.contains($0) }
    /// Whether a byte ends a URL in another text, such as HTML or code.
    private static let endsInText = (0...255).map {
        endsOfURL[Int($0)] || "'`{}()|^".utf8.contains($0)
    }

    /// Whether a value with this byte may contain other values.
    private static func isMark(_ byte: UInt8) -> Bool { "=@{[%".utf8.contains(byte) }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the runs of bytes, without those that end a run, that contain `=` or `@`.
    fileprivate func runs(_ ends: [Bool]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var (start, index, hasMark) = (0, 0, false)
        // Loops over an index, because iterators take many times longer in a debug build.
        while index <= count {
            if index == count || ends[Int(self[index])] {
                if hasMark { runs.append(start..<index) }
                (start, hasMark) = (index + 1, false)
            } else if self[index] == UInt8(ascii: "=") || self[index] == UInt8(ascii: "@") {
                hasMark = true
            }
            index += 1
        }
        return runs
    }

    /// Returns the authority of a URL, with its user info; nil if the URL has no scheme.
    fileprivate func authority(in run: Range<Int>) -> Range<Int>? {
        // A scheme is at the start.
        let colon = run.prefix(100).first { index in
            index + 2 < run.upperBound && self[index] == UInt8(ascii: ":")
                && self[index + 1] == UInt8(ascii: "/") && self[index + 2] == UInt8(ascii: "/")
        }
        guard let start = colon.map({ $0 + 3 }) else { return nil }
        let end = self[start..<run.upperBound].firstIndex { "/?#".utf8.contains($0) }
        return start..<(end ?? run.upperBound)
    }

    /// Returns the names and the values of the items in a URL.
    ///
    /// - Parameter isLine: Whether an item may be at the start.
    fileprivate func items(
        in run: Range<Int>, isLine: Bool
    ) -> [(name: Range<Int>, value: Range<Int>)] {
        var items: [(Range<Int>, Range<Int>)] = []
        var position = run.lowerBound
        while let mark = self[position..<run.upperBound].firstIndex(of: UInt8(ascii: "=")) {
            let separator = self[position..<mark].lastIndex { "?&#;".utf8.contains($0) }
            let isFirst = separator == nil && isLine && position == run.lowerBound
            position = mark + 1
            guard separator != nil || isFirst else { continue }
            // After a semicolon, a value ends with its segment of the path (RFC 3986, section 3.3).
            let isParameter = separator.map { self[$0] == UInt8(ascii: ";") } ?? false
            let end = self[position..<run.upperBound].firstIndex {
                "&?#".utf8.contains($0) || isParameter && ";/".utf8.contains($0)
            }
            position = end ?? run.upperBound
            items.append(((separator.map { $0 + 1 } ?? run.lowerBound)..<mark, mark + 1..<position))
        }
        return items
    }
}
