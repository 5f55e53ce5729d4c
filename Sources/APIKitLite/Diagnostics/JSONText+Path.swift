extension JSONText {
    /// Returns where the values begin that a coding path leads to, the outermost first, as far as they
    /// are there.
    static func starts(of path: [any CodingKey], in bytes: [UInt8]) -> [Int] {
        var starts = [startOfValue(from: 0, in: bytes)]
        for step in path {
            guard let start = member(step, of: starts[starts.count - 1], in: bytes) else { break }
            starts.append(start)
        }
        return starts
    }

    /// Returns the index after the value at an index, or after all bytes if it does not end before.
    static func endOfValue(at start: Int, in bytes: [UInt8]) -> Int {
        var (index, depth) = (start, 0)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index = endOfToken(at: index, in: bytes)
            if depth <= 0 { break }
        }
        return index
    }

    /// Returns where the value of a key or an index begins in the object or array at an index.
    private static func member(
        _ step: any CodingKey, of start: Int, in bytes: [UInt8]
    ) -> Int? {
        guard start < bytes.count, "{[".utf8.contains(bytes[start]) else { return nil }
        let isObject = bytes[start] == UInt8(ascii: "{")
        var (place, count) = (startOfValue(from: start + 1, in: bytes), 0)
        while place < bytes.count, !"}]".utf8.contains(bytes[place]) {
            var isFound = step.index == count
            if isObject {
                let end = endOfToken(at: place, in: bytes)
                isFound = string(bytes[place..<end]) == step.stringValue
                place = startOfValue(from: end, in: bytes)
            }
            if isFound { return place < bytes.count ? place : nil }
            place = startOfValue(from: endOfValue(at: place, in: bytes), in: bytes)
            count += 1
        }
        return nil
    }

    /// Returns the index of the next byte that is neither a space nor between two values.
    private static func startOfValue(from index: Int, in bytes: [UInt8]) -> Int {
        bytes[min(index, bytes.count)...].firstIndex { !" \t\r\n,:".utf8.contains($0) }
            ?? bytes.count
    }
}
