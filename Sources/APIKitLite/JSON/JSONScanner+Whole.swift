extension JSONScanner {
    /// Reads the whole text and checks that it is JSON.
    ///
    /// It throws the same errors as `next()`, but it is faster, because it keeps no frames.
    ///
    /// - Throws: `JSONText.Failure` at the first byte that is not JSON.
    mutating func validate() throws(JSONText.Failure) {
        var areObjects: [Bool] = []
        while true {
            skipSpace()
            let byte = try peek()
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard areObjects.count < JSONText.maximumDepth else { throw .tooDeep(at: index) }
                let isObject = byte == UInt8(ascii: "{")
                areObjects.append(isObject)
                index += 1
                skipSpace()
                if try peek() != Self.end(ofObject: isObject) {
                    if isObject { try readKey() }
                    continue
                }
            case UInt8(ascii: "\""): try string()
            case UInt8(ascii: "t"): try word("true")
            case UInt8(ascii: "f"): try word("false")
            case UInt8(ascii: "n"): try word("null")
            default: try number()
            }
            guard try beginsNext(&areObjects) else { return }
        }
    }

    /// After a value, reads to the start of the next one. Returns false if the text ends here.
    private mutating func beginsNext(_ areObjects: inout [Bool]) throws(JSONText.Failure) -> Bool {
        while let isObject = areObjects.last {
            skipSpace()
            let byte = try peek()
            guard byte == Self.end(ofObject: isObject) || byte == UInt8(ascii: ",") else {
                throw .unexpected(at: index)
            }
            index += 1
            if byte == UInt8(ascii: ",") {
                skipSpace()
                if isObject { try readKey() }
                return true
            }
            areObjects.removeLast()
        }
        skipSpace()
        guard index == end else { throw .unexpected(at: index) }
        return false
    }

    /// Reads a key and its colon.
    private mutating func readKey() throws(JSONText.Failure) {
        try string()
        skipSpace()
        try expect(UInt8(ascii: ":"))
    }

    private static func end(ofObject isObject: Bool) -> UInt8 {
        isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    }
}

/// Reads a text that is known to be JSON.
extension JSONScanner {
    /// Returns the next token, or nil at the end.
    mutating func nextKnown() -> Token? { (try? next()) ?? nil }

    /// Reads to the end of the object or array whose `Token.open(isObject:)` was read last.
    mutating func skipOpened() {
        index = bytes.withUnsafeBufferPointer { bytes in
            var index = index
            var depth = 1
            while index < end {
                switch bytes[index] {
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    if depth == 0 { return index }
                case UInt8(ascii: "\""):
                    index += 1
                    while index < end, bytes[index] != UInt8(ascii: "\"") {
                        index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                    }
                default: break
                }
                index += 1
            }
            return end
        }
        state = .afterValue
        _ = nextKnown()
    }

    /// Skips the comma, if there is one, before an element that is known to follow.
    mutating func skipComma() {
        skipSpace()
        guard case .afterValue = state else { return }
        index += 1
        state = .value
    }
}
