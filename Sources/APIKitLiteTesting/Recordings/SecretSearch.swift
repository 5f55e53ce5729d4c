import APIKitLite
import Foundation

/// A value that must not be in a file.
struct Secret: Sendable {
    let value: String
    /// The origin of the value, such as `the value of the header Authorization`.
    let label: String
}

/// Finds many secrets in a text, in one pass.
///
/// A secret is found in the forms in which texts write it: as it is, in JSON, percent-encoded, in
/// Base64 at any position, and in hexadecimal digits.
struct SecretSearch {
    /// A secret in a text.
    struct Occurrence {
        let range: Range<Int>
        let secret: Secret
        /// The end of a sentence about it, such as `, in Base64`; empty if it is there as it is.
        let form: String
    }

    private struct Needle {
        let bytes: [UInt8]
        let secret: Secret
        let form: String
    }

    /// A window into the end of a needle: four bytes, or fewer if a needle is shorter.
    private struct Window {
        let needle: Int
        let offset: Int
        /// The next window with the same slot; -1 if there is none.
        let next: Int
    }

    private var needles: [Needle] = []
    private var windows: [Window] = []
    /// The last window of each slot; -1 if there is none.
    private var slots: [Int] = []
    private let width: Int
    /// The distance of the positions at which a text is read. The windows of a needle begin at as
    /// many successive bytes, so one of them is read.
    private let step: Int

    /// - Parameter isExact: Whether the values are searched as they are, and in no other form.
    init(_ secrets: [Secret], isExact: Bool = false) {
        for secret in secrets where !secret.value.isEmpty {
            let forms = isExact ? [secret.value: ""] : Self.forms(of: secret.value)
            // Three other digits would be found in too many words.
            needles += forms.filter { $1.isEmpty || $0.utf8.count > 3 }
                .map { Needle(bytes: Array($0.utf8), secret: secret, form: $1) }
        }
        let shortest = needles.map(\.bytes.count).min() ?? 0
        width = min(4, shortest)
        step = shortest - width + 1
        // At most a quarter of the slots are used.
        var size = 256
        while size < 4 * needles.count * step { size *= 2 }
        slots = Array(repeating: -1, count: size)
        for (index, needle) in needles.enumerated() {
            for start in (needle.bytes.count - shortest)..<(needle.bytes.count - width + 1) {
                let key = needle.bytes.withUnsafeBufferPointer { slot(of: $0.baseAddress! + start) }
                windows.append(Window(needle: index, offset: start, next: slots[key]))
                slots[key] = windows.count - 1
            }
        }
    }

    /// Returns the slot of the window that begins at an address.
    private func slot(of start: UnsafePointer<UInt8>) -> Int {
        var (hash, index) = (0, 0)
        while index < width {
            hash = hash &* 0x0100_0193 ^ Int(start[index])
            index += 1
        }
        return (hash ^ hash >> 15) & (slots.count - 1)
    }

    /// Returns where a text contains secrets, in order. The occurrences do not overlap.
    func occurrences(in text: [UInt8]) -> [Occurrence] {
        var all: [Occurrence] = []
        text.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress, !needles.isEmpty else { return }
            var position = 0
            while position + width <= bytes.count {
                var window = slots[slot(of: base + position)]
                while window >= 0 {
                    let found = needles[windows[window].needle]
                    let start = position - windows[window].offset
                    let range = start..<start + found.bytes.count
                    if start >= 0, range.upperBound <= bytes.count,
                        memcmp(base + start, found.bytes, range.count) == 0,
                        !found.form.isEmpty || !Self.isInNumber(range, bytes)
                    {
                        all.append(
                            Occurrence(range: range, secret: found.secret, form: found.form))
                    }
                    window = windows[window].next
                }
                position += step
            }
        }
        all.sort {
            ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
        }
        var end = 0
        return all.filter { found in
            guard found.range.lowerBound >= end else { return false }
            end = found.range.upperBound
            return true
        }
    }

    /// Whether digits are a part of a longer number, and so another value.
    private static func isInNumber(
        _ range: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        func isDigit(_ index: Int) -> Bool {
            bytes.indices.contains(index) && 0x30...0x39 ~= bytes[index]
        }
        func isBeside(_ index: Int, _ next: Int) -> Bool {
            isDigit(index) || isDigit(next) && bytes[index] == UInt8(ascii: ".")
        }
        return range.allSatisfy(isDigit)
            && (isBeside(range.lowerBound - 1, range.lowerBound - 2)
                || isBeside(range.upperBound, range.upperBound + 1))
    }

    /// Returns the forms of a value, each once, with the ends of sentences about them.
    private static func forms(of value: String) -> [String: String] {
        let data = Data(value.utf8)
        let hexadecimal = data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let all: [(String, [String])] = [
            ("", [value]),
            (", encoded", json(value) + escaped(value, [.pathValue, .pathText, .query, .form])),
            (
                ", in Base64",
                (0...2).flatMap { base64(data, after: $0) }.flatMap {
                    [$0] + json($0) + escaped($0, [.pathValue])
                }
            ),
            (", in hexadecimal digits", [hexadecimal, hexadecimal.uppercased()]),
        ]
        let pairs = all.flatMap { form, texts in texts.map { ($0, form) } }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Returns a text as JSON encoders write it, also in a string of a string.
    private static func json(_ text: String) -> [String] {
        let json = JSONText.escaped(text)
        let ascii = json.utf16.map { unit in
            UnicodeScalar(unit).flatMap { $0.isASCII ? String($0) : nil }
                ?? "\\u" + String(UInt32(unit) + 0x1_0000, radix: 16).dropFirst()
        }.joined()
        return [json, ascii].flatMap { [$0, $0.replacing("/", with: "\\/"), JSONText.escaped($0)] }
    }

    /// Returns a text with percent-encoding, in capital and in small letters.
    private static func escaped(_ text: String, _ encodings: [PercentEncoding]) -> [String] {
        let system = text.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? text
        return (encodings.map { $0.encode(text) } + [system]).flatMap { text in
            [text, text.replacing(/%../) { $0.output.lowercased() }]
        }
    }

    /// Returns the digits, in both alphabets (RFC 4648), that depend on nothing but the data.
    ///
    /// - Parameter count: The number of other bytes before it.
    private static func base64(_ data: Data, after count: Int) -> [String] {
        let digits = (Data(count: count) + data).base64EncodedString()
        let ends = ((8 * count + 5) / 6, 8 * (count + data.count) / 6)
        let standard = String(digits.prefix(ends.1).dropFirst(ends.0))
        return [standard, standard.replacing("+", with: "-").replacing("/", with: "_")]
    }
}
