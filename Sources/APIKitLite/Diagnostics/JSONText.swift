import Foundation

/// JSON as `JSONSerialization` reads it: a tree of `[String: Any]`, `[Any]`, `String`, `NSNumber`
/// and `NSNull`.
package enum JSONText {
    /// Parses JSON. If a key is repeated, its last value counts.
    ///
    /// - Throws: Foundation's error if the text is not JSON: see ``reason(_:)``.
    package static func read(_ text: Data) throws -> Any {
        try JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed)
    }

    /// Returns why data is not JSON, in Foundation's words, without quoting the data.
    package static func reason(_ error: any Error) -> String {
        let text = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
        return text ?? "The data is not in the correct format."
    }

    /// Returns the index of the byte where data stops being JSON, if the error contains it.
    static func place(of error: any Error) -> Int? {
        let place = (error as NSError).userInfo["NSJSONSerializationErrorIndex"] as? Int
        return place ?? reason(error).firstMatch(of: /character (\d+)/).flatMap { Int($0.output.1) }
    }

    /// Returns whether a number is `true` or `false`. In parsed JSON, only these are `char`.
    package static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c"
    }

    package static func quoted(_ text: String) -> String {
        let options: JSONSerialization.WritingOptions = [
            .fragmentsAllowed, .withoutEscapingSlashes,
        ]
        let data = try? JSONSerialization.data(withJSONObject: text, options: options)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// Returns the path component for a member of an object: `.name`, or `["a-b"]` if the key is
    /// not a word.
    package static func step(_ key: String) -> String {
        let startsWord = key.first.map { !$0.isNumber } ?? false
        let isWord = key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return startsWord && isWord ? ".\(key)" : "[\(quoted(key))]"
    }

    package static func step(_ index: Int) -> String { "[\(index)]" }
}

extension JSONText {
    /// Returns the start of each value along a coding path, outermost first, as far as they exist.
    static func starts(of path: [any CodingKey], in bytes: [UInt8]) -> [Int] {
        var starts = [startOfValue(from: 0, in: bytes)]
        for step in path {
            guard let start = member(step, of: starts[starts.count - 1], in: bytes) else { break }
            starts.append(start)
        }
        return starts
    }

    /// Returns the index after the value at an index, or after all bytes if it has no end.
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

    /// Returns the start of a key's or an index's value in the object or array at an index.
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

    /// Returns the index of the next byte that is neither white space nor a separator.
    private static func startOfValue(from index: Int, in bytes: [UInt8]) -> Int {
        bytes[min(index, bytes.count)...].firstIndex { !" \t\r\n,:".utf8.contains($0) }
            ?? bytes.count
    }
}
