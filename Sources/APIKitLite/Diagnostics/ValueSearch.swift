/// Searches text for many values at once, in a time nearly independent of their number.
struct ValueSearch: Sendable, Equatable {
    /// The app's values, which are hidden wherever they occur.
    private(set) var given: Set<String> = []
    /// The values found under secret names, which are hidden as whole words unless they look
    /// random.
    private(set) var found: Set<String> = []
    /// The values by their forms: plain, encoded, and with the escapes of JSON.
    private var forms: [ArraySlice<UInt8>: Form] = [:]
    /// The lengths of the forms by their first bytes, longest first.
    private var lengths: [ArraySlice<UInt8>: [Int]] = [:]
    /// How many first bytes `lengths` uses: four, or fewer if a form is shorter.
    private var prefix = 4
    /// For each byte, whether a form begins with it.
    private var begins: [Bool] = []

    private struct Form: Equatable {
        let value: String
        /// Whether the form must not touch a letter or digit: `test` is not found in `latest`.
        let isWord: Bool
    }

    var isEmpty: Bool { forms.isEmpty }

    /// The size in bytes of the longest form.
    var longest: Int { lengths.values.reduce(0) { max($0, $1[0]) } }

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
        // A value in a header, such as a cookie, may be encoded, and repeated unencoded.
        let plain = found.flatMap { value in
            [false, true].map { PercentEncoding.decode(value, plusIsSpace: $0) }
        }
        for value in found.union(given).union(plain.filter { $0.utf8.count >= 4 }) {
            let isWord =
                !given.contains(value)
                && (!Redaction.looksRandom(value) || value.utf8.areDigits)
            let encoded = [PercentEncoding.pathValue, .query, .form].map { $0.encode(value) }
            let escaped = JSONText.quoted(value).utf8.dropFirst().dropLast()
            for form in [Array(escaped)] + ([value] + encoded).map({ Array($0.utf8) }) {
                forms[form[...]] = Form(value: value, isWord: isWord)
            }
        }
        begins = [Bool](repeating: false, count: 256)
        prefix = forms.keys.reduce(prefix) { min($0, $1.count) }
        for form in forms.keys {
            lengths[form.prefix(prefix), default: []].append(form.count)
            begins[Int(form[form.startIndex])] = true
        }
        lengths = lengths.mapValues { Set($0).sorted(by: >) }
    }

    /// Returns the text with the values replaced.
    func hiding(in text: String, by mark: (String) -> String) -> String {
        if isEmpty { return text }
        let bytes = Array(text.utf8)
        var (result, end) = ([UInt8](), 0)
        for range in ranges(in: bytes) {
            let value = forms[bytes[range]]?.value ?? String(decoding: bytes[range], as: UTF8.self)
            result += bytes[end..<range.lowerBound] + Array(mark(value).utf8)
            end = range.upperBound
        }
        return end == 0 ? text : String(decoding: result + bytes[end...], as: UTF8.self)
    }

    /// Returns the value of which at least four first bytes end a text, and where they begin; nil if
    /// there is none.
    func cutValue(in text: [UInt8]) -> (start: Int, value: String)? {
        let starts = text.indices.suffix(longest).dropLast(3).lazy
        return starts.filter { begins[Int(text[$0])] }.compactMap { start in
            forms.first { $0.key.starts(with: text[start...]) }.map { (start, $0.value.value) }
        }.first
    }

    /// Returns the ranges of values, with overlapping ones merged.
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
            guard end <= text.count, let form = forms[text[start..<end]] else { return false }
            return !form.isWord || isBoundary(start, in: text) && isBoundary(end, in: text)
        }
    }
}

/// Returns whether an index is not between two letters or digits.
private func isBoundary(_ index: Int, in text: [UInt8]) -> Bool {
    func isAlphanumeric(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20 }
    return index == 0 || index == text.count
        || !(isAlphanumeric(text[index - 1]) && isAlphanumeric(text[index]))
}
