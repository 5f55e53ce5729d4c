import APIKitLite
import Foundation

/// A value that must not be in a file.
struct Secret {
    let value: String
    /// The origin of the value, such as `the value of the header Authorization`.
    let label: String
}

/// Finds many secrets in a text.
///
/// A secret is found as it is; in UTF-16 if it is ASCII; in JSON, percent-encoded or in a form, once or
/// twice; and, in each of these, in Base64 at any position and in hexadecimal digits.
struct SecretIndex {
    /// A secret in a text.
    struct Occurrence {
        let range: Range<Int>
        let secret: Secret
        /// The end of a sentence about it, such as `, in Base64`; empty if it is there as it is.
        let encoding: String
    }

    /// The bytes of the secrets, by their first two bytes, so that many secrets take hardly more
    /// time than one. The longest comes first.
    private var keys: [[(bytes: [UInt8], secret: Secret)]]
    /// The number of bytes of the shortest secret.
    private let shortest: Int

    init(_ secrets: [Secret]) {
        keys = Array(repeating: [], count: 1 << 16)
        let sorted = secrets.map { (bytes: Self.folded($0.value.utf8), secret: $0) }
            .filter { !$0.bytes.isEmpty }.sorted { $0.bytes.count > $1.bytes.count }
        shortest = sorted.last?.bytes.count ?? .max
        for key in sorted {
            let second = key.bytes.count > 1 ? Int(key.bytes[1])...Int(key.bytes[1]) : 0...255
            for second in second { keys[Int(key.bytes[0]) << 8 | second].append(key) }
        }
    }

    /// A plus sign may be a space in a form, so both count as equal.
    private static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    }

    /// Returns where a text contains secrets, in order. The occurrences do not overlap.
    func occurrences(in text: [UInt8]) -> [Occurrence] {
        if shortest > text.count { return [] }
        var all: [Occurrence] = []
        forEachReading(of: text, shortest: shortest) { reading in
            all += matches(in: reading.bytes).map { range, secret in
                Occurrence(
                    range: reading.range(range), secret: secret, encoding: reading.encoding)
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
    private static func isInNumber(_ range: Range<Int>, _ bytes: [UInt8]) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard bytes[range].allSatisfy(digits.contains) else { return false }
        func isDigit(_ index: Int) -> Bool {
            bytes.indices.contains(index) && digits.contains(bytes[index])
        }
        func isPoint(_ index: Int) -> Bool {
            bytes.indices.contains(index) && bytes[index] == UInt8(ascii: ".")
        }
        let (before, after) = (range.lowerBound - 1, range.upperBound)
        return isDigit(before) || isDigit(after) || isPoint(before) && isDigit(before - 1)
            || isPoint(after) && isDigit(after + 1)
    }

    /// Returns the secrets in some bytes that are not encoded, with their ranges.
    func matches(in bytes: [UInt8]) -> [(Range<Int>, Secret)] {
        let bytes = Self.folded(bytes)
        var matches: [(Range<Int>, Secret)] = []
        var start = 0
        while start < bytes.count {
            let second = start + 1 < bytes.count ? Int(bytes[start + 1]) : 0
            let key = keys[Int(bytes[start]) << 8 | second].first {
                bytes[start...].starts(with: $0.bytes)
                    && !Self.isInNumber(start..<start + $0.bytes.count, bytes)
            }
            if let key { matches.append((start..<start + key.bytes.count, key.secret)) }
            start += key?.bytes.count ?? 1
        }
        return matches
    }
}

/// A text after some decoding.
struct Reading {
    let bytes: [UInt8]
    /// The end of a sentence about the decoding, such as `, in Base64`.
    var encoding = ""
    /// Returns the range in the text from which some bytes come.
    var range: (Range<Int>) -> Range<Int> = { $0 }

    /// Returns the reading without the escapes that begin with a byte; nil if there are none.
    ///
    /// - Parameter decode: Returns the bytes of the escape with which a text begins, and its length.
    fileprivate func undoing(
        _ mark: UInt8, _ decode: (ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)?
    ) -> Reading? {
        guard bytes.contains(mark) else { return nil }
        var result: [UInt8] = []
        var starts: [UInt32] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == mark, let (decoded, count) = decode(bytes[index...]) {
                result += decoded
                starts += decoded.map { _ in UInt32(index) }
                index += count
            } else {
                result.append(bytes[index])
                starts.append(UInt32(index))
                index += 1
            }
        }
        starts.append(UInt32(index))
        return Reading(bytes: result, encoding: ", encoded") { [starts, range] in
            range(Int(starts[$0.lowerBound])..<Int(starts[$0.upperBound]))
        }
    }

    /// The readings of a run of Base64 digits, one for each position in a group. Their ranges have
    /// only the digits that depend on nothing else.
    fileprivate func base64(_ run: Range<Int>) -> [Reading] {
        (0..<min(4, run.count)).map { offset in
            var decoded: [UInt8] = []
            decoded.reserveCapacity(run.count * 3 / 4)
            var (bits, count) = (UInt32(0), 0)
            for byte in bytes[run.dropFirst(offset)] {
                bits = bits << 6 | UInt32(base64Digits[Int(byte)])
                count += 6
                guard count >= 8 else { continue }
                count -= 8
                decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
            let start = run.lowerBound + offset
            return Reading(bytes: decoded, encoding: ", in Base64") { [range] in
                let (lower, upper) = ((8 * $0.lowerBound + 5) / 6, 8 * $0.upperBound / 6)
                return range(start + lower..<start + upper)
            }
        }
    }

    /// The readings of a run of hexadecimal digits.
    fileprivate func hexadecimal(_ run: Range<Int>) -> [Reading] {
        (0..<2).map { offset -> Reading in
            let digits: [UInt8] = bytes[run.dropFirst(offset)].compactMap(hexDigit)
            let decoded = stride(from: 0, to: digits.count - 1, by: 2).map { index -> UInt8 in
                digits[index] << 4 | digits[index + 1]
            }
            let start = run.lowerBound + offset
            return Reading(bytes: decoded, encoding: ", in hexadecimal digits") { [range] in
                range(start + 2 * $0.lowerBound..<start + 2 * $0.upperBound)
            }
        }
    }

    /// The ranges of at least so many bytes that all fulfill a condition.
    fileprivate func runs(of count: Int, where isIncluded: (UInt8) -> Bool) -> [Range<Int>] {
        bytes.split { !isIncluded($0) }.filter { $0.count >= count }.map(\.indices)
    }
}

/// Calls a closure with each decoding of a text.
///
/// - Parameter shortest: The smallest number of bytes that a decoded value has.
func forEachReading(of text: [UInt8], shortest: Int = 8, _ body: (Reading) -> Void) {
    // The fewest digits that such a value needs.
    let (base64Count, hexCount) = (min(10, (8 * shortest + 5) / 6), min(16, 2 * shortest))
    var level = [Reading(bytes: text)]
    for depth in 0...2 {
        for reading in level {
            body(reading)
            for run in reading.runs(of: base64Count, where: { base64Digits[Int($0)] < 64 }) {
                reading.base64(run).forEach(body)
            }
            for run in reading.runs(of: hexCount, where: { hexDigit($0) != nil }) {
                reading.hexadecimal(run).forEach(body)
            }
        }
        if depth == 2 { return }
        level = level.flatMap { reading in
            [
                // ASCII in UTF-16 has a zero byte beside each character.
                reading.undoing(0) { _ in ([], 1) },
                reading.undoing(UInt8(ascii: "%"), percentEscape),
                reading.undoing(UInt8(ascii: "\\"), jsonEscape),
            ].compactMap(\.self)
        }
    }
}

/// The values of the digits of Base64 and of Base64 for URLs (RFC 4648); 64 for any other byte.
private let base64Digits: [UInt8] = {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    var digits = [UInt8](repeating: 64, count: 256)
    for alphabet in [letters + "+/", letters + "-_"] {
        for (value, byte) in alphabet.utf8.enumerated() { digits[Int(byte)] = UInt8(value) }
    }
    return digits
}()

private func percentEscape(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)? {
    let digits = text.dropFirst().prefix(2).compactMap(hexDigit)
    return digits.count == 2 ? ([digits[0] << 4 | digits[1]], 3) : nil
}

private func jsonEscape(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)? {
    guard let letter = text.dropFirst().first else { return nil }
    guard letter == UInt8(ascii: "u") else {
        let controls: [UInt8: UInt8] = [0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9]
        return ([controls[letter] ?? letter], 2)
    }
    func unit(_ text: ArraySlice<UInt8>) -> UInt16? {
        guard text.starts(with: "\\u".utf8) else { return nil }
        let digits = text.dropFirst(2).prefix(4).compactMap(hexDigit)
        return digits.count == 4 ? digits.reduce(0) { $0 << 4 | UInt16($1) } : nil
    }
    guard let first = unit(text) else { return nil }
    let second = UTF16.isLeadSurrogate(first) ? unit(text.dropFirst(6)) : nil
    let units = [first, second].compactMap(\.self)
    return (Array(String(decoding: units, as: UTF16.self).utf8), 6 * units.count)
}
