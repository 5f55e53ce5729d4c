/// Reads the grammar of RFC 8259, byte by byte.
struct JSONScanner {
    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func document() throws(JSONText.Failure) -> JSONText.Value {
        // Some servers send a byte order mark, and Foundation reads past it.
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { index = 3 }
        let root = try value()
        skipSpace()
        guard index == bytes.count else { throw .unexpected(at: index) }
        return root
    }

    private mutating func value() throws(JSONText.Failure) -> JSONText.Value {
        skipSpace()
        let start = index
        let kind: JSONText.Kind
        switch try peek() {
        case UInt8(ascii: "{"): kind = try .object(members())
        case UInt8(ascii: "["): kind = try .array(elements())
        case UInt8(ascii: "\""):
            try string()
            kind = .string
        case UInt8(ascii: "t"):
            try word("true")
            kind = .boolean
        case UInt8(ascii: "f"):
            try word("false")
            kind = .boolean
        case UInt8(ascii: "n"):
            try word("null")
            kind = .null
        default:
            try number()
            kind = .number
        }
        return JSONText.Value(kind: kind, range: start..<index)
    }

    private mutating func members() throws(JSONText.Failure) -> [JSONText.Member] {
        var members: [JSONText.Member] = []
        try enter()
        if try closes(UInt8(ascii: "}")) { return members }
        repeat {
            skipSpace()
            let start = index
            try string()
            let keyRange = start..<index
            skipSpace()
            try expect(UInt8(ascii: ":"))
            let key = JSONText.unescaped(bytes[keyRange.dropFirst().dropLast()])
            members.append(JSONText.Member(key: key, keyRange: keyRange, value: try value()))
        } while try continues(until: UInt8(ascii: "}"))
        return members
    }

    private mutating func elements() throws(JSONText.Failure) -> [JSONText.Value] {
        var elements: [JSONText.Value] = []
        try enter()
        if try closes(UInt8(ascii: "]")) { return elements }
        repeat { elements.append(try value()) } while try continues(until: UInt8(ascii: "]"))
        return elements
    }

    private mutating func enter() throws(JSONText.Failure) {
        guard depth < JSONText.maximumDepth else { throw .tooDeep(at: index) }
        depth += 1
        index += 1
    }

    private mutating func closes(_ end: UInt8) throws(JSONText.Failure) -> Bool {
        skipSpace()
        guard try peek() == end else { return false }
        depth -= 1
        index += 1
        return true
    }

    private mutating func continues(until end: UInt8) throws(JSONText.Failure) -> Bool {
        if try closes(end) { return false }
        try expect(UInt8(ascii: ","))
        return true
    }

    private mutating func string() throws(JSONText.Failure) {
        try expect(UInt8(ascii: "\""))
        while true {
            switch try peek() {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\\"):
                index += 1
                try escape()
            case 0..<0x20: throw .unexpected(at: index)
            default: index += 1
            }
        }
    }

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

    private mutating func number() throws(JSONText.Failure) {
        if try peek() == UInt8(ascii: "-") { index += 1 }
        if try peek() == UInt8(ascii: "0") { index += 1 } else { try digits() }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            try digits()
        }
        if index < bytes.count, "eE".utf8.contains(bytes[index]) {
            index += 1
            if "+-".utf8.contains(try peek()) { index += 1 }
            try digits()
        }
    }

    private mutating func digits() throws(JSONText.Failure) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard digits.contains(try peek()) else { throw .unexpected(at: index) }
        while index < bytes.count, digits.contains(bytes[index]) { index += 1 }
    }

    private mutating func word(_ word: StaticString) throws(JSONText.Failure) {
        for offset in 0..<word.utf8CodeUnitCount { try expect(word.utf8Start[offset]) }
    }

    private mutating func expect(_ byte: UInt8) throws(JSONText.Failure) {
        guard try peek() == byte else { throw .unexpected(at: index) }
        index += 1
    }

    private func peek() throws(JSONText.Failure) -> UInt8 {
        guard index < bytes.count else { throw .truncated(at: index) }
        return bytes[index]
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x0a, 0x0d, 0x09].contains(bytes[index]) { index += 1 }
    }
}
