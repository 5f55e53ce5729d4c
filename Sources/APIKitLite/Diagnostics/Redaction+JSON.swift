extension Redaction {
    /// JSON as it may be shown, byte for byte where nothing is secret; nil for what is not JSON.
    func json(_ bytes: [UInt8]) -> [UInt8]? {
        edits(in: JSONScanner(bytes), depth: 0).map { Edit.apply($0, to: bytes) }
    }

    /// What to change in JSON so that it shows no secret; nil for what is not JSON.
    ///
    /// - Parameters:
    ///   - scanner: Where to begin, which may be inside a secret.
    ///   - isCut: Whether the text was cut, and so may end anywhere.
    ///   - longest: Longer strings before the end are left out.
    func edits(
        in scanner: JSONScanner, depth: Int, isCut: Bool = false, longest: Int = .max
    ) -> [Edit]? {
        if isEmpty { return [] }
        var editor = JSONEditor(
            redaction: self, depth: depth, isCut: isCut, longest: longest, scanner: scanner)
        return editor.run() ? editor.edits : nil
    }
}

/// Finds the secrets in JSON, token by token.
private struct JSONEditor {
    let redaction: Redaction
    let depth: Int
    let isCut: Bool
    let longest: Int
    var scanner: JSONScanner
    private(set) var edits: [Edit] = []
    /// The secret value that is being read: where it begins, and how many frames are around it.
    private var hidden: (start: Int, level: Int)?
    /// The names that were judged already.
    private var known: [ArraySlice<UInt8>: Secrecy] = [:]

    init(redaction: Redaction, depth: Int, isCut: Bool, longest: Int, scanner: JSONScanner) {
        self.redaction = redaction
        self.depth = depth
        self.isCut = isCut
        self.longest = longest
        self.scanner = scanner
    }

    /// Whether the text is JSON, or the beginning of some where it was cut.
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
            // That there is no secret is none.
            break
        }
    }

    /// What stands at the end of a text that was cut: perhaps half a value.
    private mutating func readUnfinished(from end: Int) {
        if let hidden { return hide(hidden.start..<scanner.end) }
        if scanner.start >= end, scanner.start < scanner.end {
            redactScalar(scanner.start..<scanner.end)
        }
    }

    private mutating func redactScalar(_ range: Range<Int>) {
        // What is said of an array is said of its elements.
        let isObject = scanner.frame.isObject
        let frame = isObject ? scanner.frame : scanner.frames.last { $0.isObject }
        let secrecy = frame.map { self.secrecy(in: $0) } ?? .none
        switch secrecy {
        case .always where isObject: hide(range)
        case .byValue where SecretName.looksLikeToken(content(of: range)): hide(range)
        default: redactString(range)
        }
    }

    /// Redacts a string for what it says itself, as a URL does or more JSON.
    private mutating func redactString(_ range: Range<Int>) {
        let quote = UInt8(ascii: "\"")
        guard scanner.bytes[range.lowerBound] == quote else { return }
        let isUnfinished = isCut && range.upperBound == scanner.end
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

    private mutating func hide(_ range: Range<Int>) {
        edits.append(Edit(range: range, replacement: Array("\"\(Redaction.mark)\"".utf8)))
    }

    /// The bytes of a string between its quotation marks; those of anything else.
    private func content(of range: Range<Int>) -> ArraySlice<UInt8> {
        let bytes = scanner.bytes[range]
        guard bytes.first == UInt8(ascii: "\"") else { return bytes }
        let isClosed = bytes.count > 1 && bytes.last == UInt8(ascii: "\"")
        return isClosed ? bytes.dropFirst().dropLast() : bytes.dropFirst()
    }

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
