import APIKitLite
import Foundation

extension ValueWalk {
    /// An object or array of JSON that is open.
    private struct Container {
        let isObject: Bool
        let isSecret: Bool
        /// In an object, the key of its next value; for an array, the key of the array itself.
        var key: Name
        /// The value of a member such as `name`, which names the member `value`.
        var label: String?
        /// The index of the member `value` among all values.
        var labelled: Int?
    }

    /// Returns strings and numbers of all JSON objects and arrays in a text, such as a JSON body,
    /// lines of JSON, or the data of events.
    func json(in text: [UInt8], near ranges: [Range<Int>]) -> [NamedValue] {
        var values: [NamedValue] = []
        var open: [Container] = []
        var ranges = ranges[...]
        func close() {
            if let container = open.popLast(), let label = container.label,
                let index = container.labelled
            {
                values[index].name = label
            }
        }
        func add(_ range: Range<Int>, _ encoding: NamedValue.Encoding, _ hasMarks: Bool = false) {
            let last = open.count - 1
            let (key, isSecret) = (open[last].key, open[last].isSecret)
            let isValue = key.folded == "value"
            let isLabel = Redaction.keysOfNames.contains(key.folded)
            ranges = ranges.drop { $0.upperBound <= range.lowerBound }
            guard
                key.mayBeSecret || isSecret || isValue || isLabel || hasMarks
                    || ranges.first?.overlaps(range) ?? false
            else { return }
            let value =
                encoding == .json
                ? text.decodedString(range, hasMarks) : String(decoding: text[range], as: UTF8.self)
            // If an object has both, its `name` or `key` counts, and not its `path`.
            if isLabel, key.folded != "path" || open[last].label == nil { open[last].label = value }
            if isValue { open[last].labelled = values.count }
            values.append(
                NamedValue(
                    kind: "JSON key", name: key.text, value: value, range: range,
                    encoding: encoding, mayContainOthers: hasMarks, isInSecret: isSecret))
        }
        let (quote, comma, colon) = (UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ":"))
        let (object, array) = (UInt8(ascii: "{"), UInt8(ascii: "["))
        let (endOfObject, endOfArray) = (UInt8(ascii: "}"), UInt8(ascii: "]"))
        text.withUnsafeBufferPointer { bytes in
            var index = 0
            // The last byte that was no space. A string is JSON only after `:`, `,`, `{` or `[`;
            // elsewhere, it is code.
            var last: UInt8 = 0
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                if byte <= 0x20 { continue }
                defer { last = byte }
                if byte == object || byte == array {
                    // Foundation reads no deeper JSON, so this is none.
                    if open.count == 512 { open.removeAll() }
                    let key = open.last?.key ?? name("")
                    let isSecret = open.last?.isSecret ?? false || key.hidesAll
                    open.append(
                        Container(isObject: byte == object, isSecret: isSecret, key: key))
                } else if open.isEmpty {
                    continue
                } else if byte == endOfObject || byte == endOfArray {
                    close()
                } else if byte == quote {
                    guard let end = bytes.endOfString(from: index) else { continue }
                    let range = index - 1..<end.index
                    index = end.index
                    let isObject = open[open.count - 1].isObject
                    if last == colon || !isObject && (last == array || last == comma) {
                        add(range, .json, end.hasMarks)
                    } else if isObject, last == object || last == comma {
                        open[open.count - 1].key = name(text.decodedString(range, end.hasMarks))
                    }
                } else if byte == 0x2D || byte >= 0x30 && byte <= 0x39 {
                    let start = index - 1
                    while index < bytes.count, isInNumber[Int(bytes[index])] {
                        index += 1
                    }
                    if last == colon || last == array || last == comma {
                        add(start..<index, .jsonNumber)
                    }
                }
            }
        }
        while !open.isEmpty { close() }
        return values
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the index after the JSON string whose text begins at an index, and whether it may
    /// contain escapes, JSON, or a URL with an item or a user; nil if the line ends first.
    fileprivate func endOfString(from start: Int) -> (index: Int, hasMarks: Bool)? {
        var (index, hasMarks) = (start, false)
        while index < count, self[index] != 0x0A {
            let byte = self[index]
            if byte == 0x22 { return (index + 1, hasMarks) }
            hasMarks = hasMarks || marks[Int(byte)]
            index += byte == 0x5C ? 2 : 1
        }
        return nil
    }
}

private let marks = (0...255).map { "=@{[\\".utf8.contains($0) }
private let isInNumber = (0...255).map { "+-.0123456789eE".utf8.contains($0) }

extension [UInt8] {
    /// Returns the text of a JSON string, which is given with its quotation marks.
    fileprivate func decodedString(_ range: Range<Int>, _ hasMarks: Bool) -> String {
        let text = self[range]
        if hasMarks, text.contains(UInt8(ascii: "\\")) {
            return (try? JSONText.read(Data(text))) as? String ?? ""
        }
        return String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
    }
}
