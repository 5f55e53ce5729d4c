/// Finds known values in text, and replaces them.
///
/// Each value is compared at each place where its first byte occurs. For a body of 100,000 bytes,
/// ten thousand values take seconds in a debug build.
struct ValueSearch: Sendable, Equatable {
    /// The app's values, which are hidden wherever they occur.
    private(set) var given: Set<String> = []
    /// The values found under secret names. A value that has only digits, or does not look random,
    /// is hidden only as a whole word.
    private(set) var found: Set<String> = []
    /// All forms of the values by their first byte, with the longest forms first. The array is
    /// empty if there are no values.
    private var forms: [[Form]] = []

    private struct Form: Equatable {
        /// The value as it is, encoded, or with the escapes of JSON.
        let bytes: [UInt8]
        let value: String
        /// Whether the form is found only as a whole word: `test` is not found in `latest`.
        let isWord: Bool
    }

    var isEmpty: Bool { forms.isEmpty }

    /// The size in bytes of the longest form.
    var longest: Int { forms.reduce(0) { max($0, $1.first?.bytes.count ?? 0) } }

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
        // A value in a header, such as a cookie, may be encoded there and repeated unencoded
        // elsewhere.
        let plain = found.flatMap { value in
            [false, true].map { value.percentDecoded(plusIsSpace: $0) }
        }
        let values = found.union(given).union(plain.filter { $0.utf8.count >= 4 })
        let all = values.flatMap { value in
            let isWord =
                !given.contains(value) && (!Redaction.looksRandom(value) || value.utf8.areDigits)
            let encoded = [PercentEncoding.pathValue, .query, .form].map { $0.encode(value) }
            let escaped = String(Substring(JSONText.write(value).utf8.dropFirst().dropLast()))
            return Set([value, escaped] + encoded).map {
                Form(bytes: Array($0.utf8), value: value, isWord: isWord)
            }
        }
        forms = [[Form]](repeating: [], count: 256)
        for form in all.sorted(by: { $0.bytes.count > $1.bytes.count }) {
            forms[Int(form.bytes[0])].append(form)
        }
    }

    /// Returns the text with the values replaced. Values that overlap are replaced by one mark.
    func hiding(in text: String, by mark: (String) -> String) -> String {
        if isEmpty { return text }
        let bytes = Array(text.utf8)
        var found: [(range: Range<Int>, value: String)] = []
        for start in bytes.indices {
            guard let form = form(at: start, in: bytes) else { continue }
            var (range, value) = (start..<start + form.bytes.count, form.value)
            if let last = found.last?.range, start < last.upperBound {
                if range.upperBound <= last.upperBound { continue }
                range = last.lowerBound..<range.upperBound
                value = String(decoding: bytes[range], as: UTF8.self)
                found.removeLast()
            }
            found.append((range, value))
        }
        var (result, end) = ([UInt8](), 0)
        for (range, value) in found {
            result += bytes[end..<range.lowerBound] + Array(mark(value).utf8)
            end = range.upperBound
        }
        return end == 0 ? text : String(decoding: result + bytes[end...], as: UTF8.self)
    }

    /// Returns the value whose first bytes, at least four, are the end of a text, and where the
    /// value begins. Returns nil if there is no such value.
    func cutValue(in text: [UInt8]) -> (start: Int, value: String)? {
        if isEmpty { return nil }
        return text.indices.suffix(longest).dropLast(3).lazy.compactMap { start in
            forms[Int(text[start])].first { $0.bytes.starts(with: text[start...]) }
                .map { (start, $0.value) }
        }.first
    }

    /// Returns the longest form at an index, or nil if there is none.
    private func form(at start: Int, in text: [UInt8]) -> Form? {
        forms[Int(text[start])].first { form in
            text[start...].starts(with: form.bytes)
                && (!form.isWord
                    || isBoundary(start, in: text)
                        && isBoundary(start + form.bytes.count, in: text))
        }
    }
}

/// Returns whether an index is not between two ASCII letters or digits.
private func isBoundary(_ index: Int, in text: [UInt8]) -> Bool {
    func isAlphanumeric(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20 }
    return index == 0 || index == text.count
        || !(isAlphanumeric(text[index - 1]) && isAlphanumeric(text[index]))
}
