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
                bytes.forEachItem(in: run, isLine: isLine) { name, value, hasMarks in
                    let name = PercentEncoding.decode(string(name), plusIsSpace: true)
                    guard hasMarks || self.name(name).mayBeSecret else { return }
                    values.append(
                        NamedValue(
                            kind: isForm ? "form field" : "query item", name: name,
                            value: PercentEncoding.decode(string(value), plusIsSpace: true),
                            range: value, encoding: .percent,
                            mayContainOthers: hasMarks))
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
}

/// Whether a value with a byte may contain other values.
private let isMark = (0...255).map { "=@{[%".utf8.contains($0) }

// Loops over an index, because iterators take many times longer in a debug build.
extension UnsafeBufferPointer<UInt8> {
    /// Returns the runs of bytes, without those that end a run, that contain `=` or `@`.
    fileprivate func runs(_ ends: [Bool]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var (start, index, hasMark) = (0, 0, false)
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
        let (question, hash) = (UInt8(ascii: "?"), UInt8(ascii: "#"))
        let (colon, slash) = (UInt8(ascii: ":"), UInt8(ascii: "/"))
        var start = run.lowerBound
        // A scheme is at the start.
        while start + 2 < Swift.min(run.upperBound, run.lowerBound + 100) {
            if self[start] == colon, self[start + 1] == slash, self[start + 2] == slash {
                let end = self[(start + 3)..<run.upperBound].firstIndex { "/?#".utf8.contains($0) }
                return start + 3..<(end ?? run.upperBound)
            }
            if self[start] == question || self[start] == hash { return nil }
            start += 1
        }
        return nil
    }

    /// Finds the items in a URL.
    ///
    /// - Parameters:
    ///   - run: The URL.
    ///   - isLine: Whether an item may be at the start.
    ///   - body: Receives the name and the value of an item, and whether the value may contain others.
    fileprivate func forEachItem(
        in run: Range<Int>, isLine: Bool, _ body: (Range<Int>, Range<Int>, Bool) -> Void
    ) {
        let (question, hash, ampersand) = (UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "&"))
        let (semicolon, slash, equals) = (UInt8(ascii: ";"), UInt8(ascii: "/"), UInt8(ascii: "="))
        var (start, hasMarks) = (isLine ? run.lowerBound : nil, false)
        var mark: Int?
        var isQuery = isLine
        var index = run.lowerBound
        while index <= run.upperBound {
            let byte = index < run.upperBound ? self[index] : hash
            // In a path, what follows a semicolon belongs to its segment (RFC 3986, section 3.3).
            if byte == question || byte == hash || byte == ampersand && start != nil
                || !isQuery && (byte == semicolon || byte == slash)
            {
                if let start, let mark { body(start..<mark, mark + 1..<index, hasMarks) }
                isQuery = isQuery || byte == question || byte == hash
                (start, mark, hasMarks) = (byte == slash ? nil : index + 1, nil, false)
            } else if mark != nil {
                hasMarks = hasMarks || isMark[Int(byte)]
            } else if byte == equals {
                mark = index
            }
            index += 1
        }
    }
}
