/// Values, and the search for them in texts. Its time hardly depends on the number of values.
struct ValueSearch: Sendable, Equatable {
    /// The values of the app, which are hidden wherever they occur.
    private(set) var given: Set<String> = []
    /// The values of secret names, which are hidden as words unless they look random.
    private(set) var found: Set<String> = []
    /// The values, and whether no letter or digit may be beside one: `test` is not found in `latest`.
    private var areWords: [ArraySlice<UInt8>: Bool] = [:]
    /// The values by their encoded forms.
    private var decoded: [ArraySlice<UInt8>: String] = [:]
    /// The lengths of the values by their first bytes; the longest is first.
    private var lengths: [ArraySlice<UInt8>: [Int]] = [:]
    /// The number of these first bytes: four, or that of the shortest value.
    private var prefix = 4
    /// Whether a value begins with a byte.
    private var begins: [Bool] = []
    /// The number of bytes of the longest value, in any encoding.
    private(set) var longest = 0

    var isEmpty: Bool { areWords.isEmpty }

    func adding(
        given newGiven: some Sequence<String> = [], found newFound: some Sequence<String> = []
    ) -> ValueSearch {
        var search = ValueSearch()
        search.given = given.union(newGiven)
        search.found = found.union(newFound)
        if search.given == given, search.found == found { return self }
        search.prepare()
        return search
    }

    private mutating func prepare() {
        // A value in a header, such as a cookie, may be encoded, and repeated plainly.
        let plain = found.flatMap { value in
            [false, true].map { PercentEncoding.decode(value, plusIsSpace: $0) }
        }
        for value in found.union(given).union(plain.filter { $0.utf8.count >= 4 }) {
            let isWord =
                !given.contains(value)
                && (!Redaction.looksRandom(value) || value.utf8.areDigits)
            for encoding in [nil, PercentEncoding.pathValue, .query, .form] {
                let form = Array((encoding?.encode(value) ?? value).utf8)[...]
                areWords[form] = isWord
                decoded[form] = value
            }
            if value.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) {
                areWords[Array(JSONText.quoted(value).utf8.dropFirst().dropLast())[...]] = isWord
            }
        }
        begins = [Bool](repeating: false, count: 256)
        prefix = areWords.keys.reduce(prefix) { min($0, $1.count) }
        for value in areWords.keys {
            lengths[value.prefix(prefix), default: []].append(value.count)
            begins[Int(value[value.startIndex])] = true
            longest = max(longest, value.count)
        }
        lengths = lengths.mapValues { Set($0).sorted(by: >) }
    }

    /// Returns a text with the values in it replaced.
    func hiding(in text: String, by mark: (String) -> String) -> String {
        if isEmpty { return text }
        let bytes = Array(text.utf8)
        var (result, end) = ([UInt8](), 0)
        for range in ranges(in: bytes) {
            let value = decoded[bytes[range]] ?? String(decoding: bytes[range], as: UTF8.self)
            result += bytes[end..<range.lowerBound] + Array(mark(value).utf8)
            end = range.upperBound
        }
        return end == 0 ? text : String(decoding: result + bytes[end...], as: UTF8.self)
    }

    /// Returns where values are; those that overlap are one.
    private func ranges(in text: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        for start in 0..<max(0, text.count - prefix + 1) where begins[Int(text[start])] {
            guard let end = endOfValue(at: start, in: text) else { continue }
            if let last = found.last, start < last.upperBound {
                found[found.count - 1] = last.lowerBound..<max(end, last.upperBound)
            } else {
                found.append(start..<end)
            }
        }
        return found
    }

    /// Returns the end of the longest value at an index.
    private func endOfValue(at start: Int, in text: [UInt8]) -> Int? {
        lengths[text[start..<start + prefix]]?.map { start + $0 }.first { end in
            guard end <= text.count, let isWord = areWords[text[start..<end]] else { return false }
            return !isWord || isBoundary(start, in: text) && isBoundary(end, in: text)
        }
    }
}

/// Whether an index is not between two letters or digits.
private func isBoundary(_ index: Int, in text: [UInt8]) -> Bool {
    func isAlphanumeric(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20 }
    return index == 0 || index == text.count
        || !(isAlphanumeric(text[index - 1]) && isAlphanumeric(text[index]))
}
