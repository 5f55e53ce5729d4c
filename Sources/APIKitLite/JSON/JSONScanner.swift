/// A scanner that reads JSON (RFC 8259) token by token, in one pass and without a tree.
///
/// The scanner is a value with a position in the text: a copy continues from the same position.
struct JSONScanner {
    /// A token of the text.
    enum Token {
        /// The start of an object or an array.
        case open(isObject: Bool)
        /// The end of the innermost object or array.
        case close
        /// A key. Its colon has been read.
        case key
        case string, number, boolean, null
    }

    /// An object or array that is open.
    struct Frame {
        let isObject: Bool
        /// The index of its opening bracket.
        let start: Int
        /// The latest key, with its quotation marks.
        var key = 0..<0
        /// The number of values that began in it.
        var count = 0
    }

    /// What comes next in the text.
    enum State {
        case value, firstValue, firstKey, afterValue
    }

    let bytes: [UInt8]
    /// The index of the next byte to read.
    var index: Int
    /// The innermost object or array that is open. At depth 0, it stands for the whole text.
    private(set) var frame = Frame(isObject: false, start: 0)
    /// The number of objects and arrays that are open.
    private(set) var depth = 0
    private var outerFrames: [Frame] = []
    /// Where the latest token begins.
    private(set) var start: Int
    var state = State.value
    /// The index at which the text ends.
    let end: Int

    /// Creates a scanner at the start of a value.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - index: The index of the value. By default, that of the whole text.
    ///   - end: The index at which the text ends. By default, after the last byte.
    init(_ bytes: [UInt8], at index: Int = 0, end: Int? = nil) {
        self.bytes = bytes
        self.end = end ?? bytes.count
        // Some servers send a byte order mark. Foundation ignores it.
        self.index = index == 0 && bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : index
        start = self.index
    }

    /// The bytes of the latest token. After `Token.close`, those of the whole object or array.
    var range: Range<Int> { start..<index }

    /// The open objects and arrays, the innermost last.
    var frames: [Frame] { depth == 0 ? [] : outerFrames.dropFirst() + [frame] }

    /// The object or array around the innermost one. At depth 1 and below, nil.
    var outerFrame: Frame? { depth > 1 ? outerFrames.last : nil }

    /// Whether a whole value has been read.
    var isComplete: Bool {
        if case .afterValue = state { return depth == 0 }
        return false
    }

    /// Returns a scanner at the same position of a text that ends earlier.
    func cut(at end: Int) -> JSONScanner {
        var scanner = JSONScanner(bytes, at: index, end: end)
        scanner.frame = frame
        scanner.depth = depth
        scanner.outerFrames = outerFrames
        scanner.state = state
        scanner.start = start
        return scanner
    }

    /// Returns the next token, or nil at the end of the text.
    ///
    /// - Throws: `JSONText.Failure` at the first byte that is not JSON.
    mutating func next() throws(JSONText.Failure) -> Token? {
        skipSpace()
        switch state {
        case .value: return try value()
        case .firstValue: return try peek() == UInt8(ascii: "]") ? close() : value()
        case .firstKey: return try peek() == UInt8(ascii: "}") ? close() : key()
        case .afterValue:
            guard depth > 0 else {
                guard index == end else { throw .unexpected(at: index) }
                return nil
            }
            let byte = try peek()
            if byte == (frame.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return close() }
            guard byte == UInt8(ascii: ",") else { throw .unexpected(at: index) }
            index += 1
            skipSpace()
            return try frame.isObject ? key() : value()
        }
    }

    private mutating func value() throws(JSONText.Failure) -> Token {
        start = index
        let byte = try peek()
        frame.count += 1
        state = .afterValue
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < JSONText.maximumDepth else { throw .tooDeep(at: index) }
            let isObject = byte == UInt8(ascii: "{")
            outerFrames.append(frame)
            frame = Frame(isObject: isObject, start: index)
            depth += 1
            index += 1
            state = isObject ? .firstKey : .firstValue
            return .open(isObject: isObject)
        case UInt8(ascii: "\""):
            try string()
            return .string
        case UInt8(ascii: "t"):
            try word("true")
            return .boolean
        case UInt8(ascii: "f"):
            try word("false")
            return .boolean
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        default:
            try number()
            return .number
        }
    }

    private mutating func key() throws(JSONText.Failure) -> Token {
        start = index
        try string()
        frame.key = start..<index
        skipSpace()
        try expect(UInt8(ascii: ":"))
        state = .value
        return .key
    }

    mutating func close() -> Token {
        start = frame.start
        frame = outerFrames.removeLast()
        depth -= 1
        index += 1
        state = .afterValue
        return .close
    }

    mutating func string() throws(JSONText.Failure) {
        try expect(UInt8(ascii: "\""))
        while true {
            index = plainEnd()
            guard index < end else { throw .truncated(at: index) }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\\"):
                index += 1
                try escape()
            default: throw .unexpected(at: index)
            }
        }
    }

    /// Returns the index of the next quotation mark, backslash or control character of a string.
    private func plainEnd() -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            var index = index
            while index < end, bytes[index] >= 0x20, bytes[index] != UInt8(ascii: "\""),
                bytes[index] != UInt8(ascii: "\\")
            {
                index += 1
            }
            return index
        }
    }

    /// Reads an escape after its backslash.
    private mutating func escape() throws(JSONText.Failure) {
        guard try peek() == UInt8(ascii: "u") else {
            guard "\"\\/bfnrt".utf8.contains(try peek()) else { throw .unexpected(at: index) }
            index += 1
            return
        }
        index += 1
        for _ in 0..<4 {
            guard hexDigit(try peek()) != nil else { throw .unexpected(at: index) }
            index += 1
        }
    }

    @inline(__always)
    mutating func number() throws(JSONText.Failure) {
        if try peek() == UInt8(ascii: "-") { index += 1 }
        if try peek() == UInt8(ascii: "0") { index += 1 } else { try digits() }
        if index < end, bytes[index] == UInt8(ascii: ".") {
            index += 1
            try digits()
        }
        if index < end, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if "+-".utf8.contains(try peek()) { index += 1 }
            try digits()
        }
    }

    @inline(__always)
    private mutating func digits() throws(JSONText.Failure) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard digits.contains(try peek()) else { throw .unexpected(at: index) }
        while index < end, digits.contains(bytes[index]) { index += 1 }
    }

    /// Reads `true`, `false` or `null`.
    mutating func word(_ word: StaticString) throws(JSONText.Failure) {
        for offset in 0..<word.utf8CodeUnitCount { try expect(word.utf8Start[offset]) }
    }

    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(JSONText.Failure) {
        guard try peek() == byte else { throw .unexpected(at: index) }
        index += 1
    }

    /// Returns the next byte without reading it.
    @inline(__always)
    func peek() throws(JSONText.Failure) -> UInt8 {
        guard index < end else { throw .truncated(at: index) }
        return bytes[index]
    }

    @inline(__always)
    mutating func skipSpace() {
        while index < end, bytes[index] <= 0x20 {
            switch bytes[index] {
            case 0x20, 0x0a, 0x0d, 0x09: index += 1
            default: return
            }
        }
    }
}
