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
        /// The next needle whose end has the same slot; -1 if there is none.
        let next: Int
    }

    private var needles: [Needle] = []
    /// The last needle of each slot; -1 if there is none.
    private var slots: [Int]
    /// The number of bytes that decide about the slot: four, or fewer if a needle is shorter.
    private let width: Int

    /// - Parameter isExact: Whether the values are searched as they are, and in no other form.
    init(_ secrets: [Secret], isExact: Bool = false) {
        var texts: [(bytes: [UInt8], secret: Secret, form: String)] = []
        for secret in secrets where !secret.value.isEmpty {
            let forms = isExact ? [secret.value: ""] : Self.forms(of: secret.value)
            // A form of three characters would be found in too many words.
            texts += forms.filter { $1.isEmpty || $0.utf8.count > 3 }
                .map { (Array($0.utf8), secret, $1) }
        }
        width = min(4, texts.map(\.bytes.count).min() ?? 0)
        // At most an eighth of the slots is used, so that most positions of a text have none.
        var size = 4_096
        while size < 8 * texts.count { size *= 2 }
        slots = Array(repeating: -1, count: size)
        for (bytes, secret, form) in texts {
            // Tokens differ more at their ends than at their beginnings.
            let key = bytes.withUnsafeBufferPointer {
                slot(of: $0.baseAddress! + bytes.count - width)
            }
            needles.append(Needle(bytes: bytes, secret: secret, form: form, next: slots[key]))
            slots[key] = needles.count - 1
        }
    }

    /// Returns the slot of the bytes at an address.
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
            var end = width
            while end <= bytes.count {
                var index = slots[slot(of: base + end - width)]
                while index >= 0 {
                    let range = end - needles[index].bytes.count..<end
                    if range.lowerBound >= 0,
                        memcmp(base + range.lowerBound, needles[index].bytes, range.count) == 0,
                        !needles[index].form.isEmpty || !Self.isInNumber(range, bytes)
                    {
                        let (secret, form) = (needles[index].secret, needles[index].form)
                        all.append(Occurrence(range: range, secret: secret, form: form))
                    }
                    index = needles[index].next
                }
                end += 1
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
        let hexadecimal = data.map { digits($0, radix: 16, count: 2) }.joined()
        let base64 = (0...2).map { base64Digits(data, after: $0) }
        let base64URL = base64.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
        var forms = [value: ""]
        func add(_ texts: [String], _ form: String) {
            for new in texts.flatMap(written) where forms[new] == nil { forms[new] = form }
        }
        add([value], ", encoded")
        add(base64 + base64URL, ", in Base64")
        add([hexadecimal, hexadecimal.uppercased()], ", in hexadecimal digits")
        return forms
    }

    /// Returns a text as it is, as encoders of JSON write it, also in a string of a string, and with
    /// percent-encoding, in capital and in small letters.
    private static func written(_ text: String) -> [String] {
        let json = JSONText.escaped(text)
        let ascii = json.utf16.map { unit in
            UnicodeScalar(unit).flatMap { $0.isASCII ? String($0) : nil }
                ?? "\\u" + digits(unit, radix: 16, count: 4)
        }.joined()
        var all = [text]
        for json in [json, ascii] {
            all += [json, json.replacing("/", with: "\\/"), JSONText.escaped(json)]
        }
        let system = text.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? text
        let encodings = [PercentEncoding.pathValue, .pathText, .query, .form]
        for percent in Set(encodings.map { $0.encode(text) } + [system]) where percent != text {
            all += [percent, percent.replacing(/%../) { $0.output.lowercased() }]
        }
        return all
    }

    /// Returns the Base64 digits (RFC 4648) that depend on nothing but the data.
    ///
    /// - Parameter count: The number of other bytes before it.
    private static func base64Digits(_ data: Data, after count: Int) -> String {
        let digits = (Data(count: count) + data).base64EncodedString()
        let ends = ((8 * count + 5) / 6, 8 * (count + data.count) / 6)
        return String(digits.prefix(ends.1).dropFirst(ends.0))
    }
}
