extension Redaction {
    /// Returns JSON with its secrets redacted and all other bytes unchanged, or `nil` if the text
    /// is not JSON.
    func json(_ bytes: [UInt8]) -> [UInt8]? {
        edits(in: JSONScanner(bytes), depth: 0).map { Edit.apply($0, to: bytes) }
    }

    /// Returns the edits that redact the secrets in JSON, or `nil` if the text is not JSON.
    ///
    /// - Parameters:
    ///   - scanner: The place at which to begin, which may be inside a secret value.
    ///   - depth: The number of texts that contain this one.
    ///   - isCut: Whether the text was cut, so that it may end in the middle of a value.
    ///   - longest: The length of the longest string that is read, in bytes. A longer string is
    ///     replaced with `…`, unless the text was cut inside it.
    func edits(
        in scanner: JSONScanner, depth: Int, isCut: Bool = false, longest: Int = .max
    ) -> [Edit]? {
        if isEmpty { return [] }
        var editor = JSONEditor(
            redaction: self, depth: depth, isCut: isCut, longest: longest, scanner: scanner)
        return editor.run() ? editor.edits : nil
    }
}

/// A search for the secrets in JSON, token by token.
private struct JSONEditor {
    let redaction: Redaction
    let depth: Int
    let isCut: Bool
    let longest: Int
    var scanner: JSONScanner
    private(set) var edits: [Edit] = []
    /// The secret object or array that is being read: the index at which it begins, and the number
    /// of frames around it.
    private var hidden: (start: Int, level: Int)?
    /// The secrecy of the keys that were read, as a cache.
    private var known: [ArraySlice<UInt8>: Secrecy] = [:]

    init(redaction: Redaction, depth: Int, isCut: Bool, longest: Int, scanner: JSONScanner) {
        self.redaction = redaction
        self.depth = depth
        self.isCut = isCut
        self.longest = longest
        self.scanner = scanner
    }

    /// Reads the text and collects the edits.
    ///
    /// - Returns: Whether the text is JSON or, if it was cut, the beginning of JSON.
    mutating func run() -> Bool {
        let frames = scanner.frames
        if let level = frames.indices.dropLast().first(where: { secrecy(in: frames[$0]) == .always }
        ) {
            hidden = (scanner.index, level + 1)
        }
        var end = scanner.index
        do throws(JSONText.Failure) {
            while let token = try scanner.next() {
                read(token)
                end = scanner.index
            }
            return true
        } catch {
            guard isCut, case .truncated = error else { return false }
            readUnfinished(from: end)
            return true
        }
    }

    /// Adds the edit for a token, if it needs one.
    private mutating func read(_ token: JSONScanner.Token) {
        if let hidden {
            guard case .close = token, scanner.depth == hidden.level else { return }
            hide(hidden.start..<scanner.index)
            self.hidden = nil
            return
        }
        switch token {
        case .open:
            if let frame = scanner.outerFrame, secrecy(in: frame) == .always {
                hidden = (scanner.start, scanner.depth - 1)
            }
        case .key:
            redactString(scanner.frame.key)
        case .string, .number:
            redactScalar(scanner.range)
        case .boolean, .null, .close:
            // `true`, `false` and `null` are not secrets.
            break
        }
    }

    /// Redacts the last token of a text that was cut, which may be the beginning of a value.
    ///
    /// - Parameter end: The end of the last complete token.
    private mutating func readUnfinished(from end: Int) {
        if let hidden { return hide(hidden.start..<scanner.end) }
        if scanner.start >= end, scanner.start < scanner.end {
            redactScalar(scanner.start..<scanner.end)
        }
    }

    /// Redacts a string or a number, depending on the key that it belongs to.
    private mutating func redactScalar(_ range: Range<Int>) {
        // The key of an array applies to its elements.
        let isObject = scanner.frame.isObject
        let frame = isObject ? scanner.frame : scanner.frames.last { $0.isObject }
        let secrecy = frame.map { self.secrecy(in: $0) } ?? .none
        if let frame, shows(frame) { return }
        switch secrecy {
        case .always where isObject: hide(range)
        case .byValue where SecretName.looksLikeToken(content(of: range)): hide(range)
        default: redactString(range)
        }
    }

    /// Redacts the content of a string, which may be a URL or JSON.
    private mutating func redactString(_ range: Range<Int>) {
        let quote = UInt8(ascii: "\"")
        let isUnfinished = isCut && range.upperBound == scanner.end
        guard scanner.bytes[range.lowerBound] == quote else {
            let digits = Array(scanner.bytes[range])
            if redaction.hidesCardNumbers,
                !CardNumber.ranges(in: digits, isCut: isUnfinished).isEmpty
            {
                hide(range)
            }
            return
        }
        if range.count > longest, !isUnfinished {
            edits.append(Edit(range: range, replacement: Array("\"…\"".utf8)))
            return
        }
        let text = JSONText.unescaped(content(of: range))
        guard let shown = redaction.redacted(text, depth: depth + 1, isCut: isUnfinished) else {
            return
        }
        edits.append(Edit(range: range, replacement: JSONText.quoted(shown)))
    }

    /// Replaces a value with `Redaction.mark`.
    private mutating func hide(_ range: Range<Int>) {
        edits.append(Edit(range: range, replacement: Array("\"\(Redaction.mark)\"".utf8)))
    }

    /// The bytes of a string between its quotation marks, or all bytes of another value.
    private func content(of range: Range<Int>) -> ArraySlice<UInt8> {
        let bytes = scanner.bytes[range]
        guard bytes.first == UInt8(ascii: "\"") else { return bytes }
        let isClosed = bytes.count > 1 && bytes.last == UInt8(ascii: "\"")
        return isClosed ? bytes.dropFirst().dropLast() : bytes.dropFirst()
    }

    /// Whether the redaction shows the value of the latest key in a frame as it is.
    private func shows(_ frame: JSONScanner.Frame) -> Bool {
        guard redaction.hasShownNames, frame.isObject, !frame.key.isEmpty else { return false }
        let key = content(of: frame.key)
        return redaction.shows(String(decoding: JSONText.unescaped(key), as: UTF8.self))
    }

    /// The secrecy of the latest key in a frame.
    private mutating func secrecy(in frame: JSONScanner.Frame) -> Secrecy {
        guard frame.isObject, !frame.key.isEmpty else { return .none }
        let key = content(of: frame.key)
        if let secrecy = known[key] { return secrecy }
        let name = String(decoding: JSONText.unescaped(key), as: UTF8.self)
        let secrecy = redaction.secrecy(of: name, in: .key)
        if known.count < 1_000 { known[key] = secrecy }
        return secrecy
    }
}
