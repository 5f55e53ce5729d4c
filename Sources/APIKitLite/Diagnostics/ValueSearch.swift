import Foundation

/// Finds values in texts. The time hardly depends on the number of values.
struct ValueSearch: Sendable, Equatable {
    private struct Pattern: Sendable, Equatable {
        let bytes: [UInt8]
        /// Whether no letter or digit may be beside it: `test` is not found in `latest`.
        let isWord: Bool
        /// The index of the longest other pattern with which this one begins.
        var shorter: Int?
    }

    /// The patterns, sorted by their bytes.
    private var patterns: [Pattern] = []
    /// Whether a pattern begins with a byte.
    private var isStart = Array(repeating: false, count: 256)

    /// - Parameters:
    ///   - given: The values that are found everywhere.
    ///   - found: The values that are found as words, unless they look random.
    init(given: Set<String>, found: Set<String>) {
        var areWords: [[UInt8]: Bool] = [:]
        for value in found.union(given) {
            let isWord =
                !given.contains(value)
                && (!Redaction.looksRandom(value) || value.utf8.areDigits)
            for encoding in [nil, PercentEncoding.pathValue, .query, .form] {
                areWords[Array((encoding?.encode(value) ?? value).utf8)] = isWord
            }
        }
        patterns = areWords.map { Pattern(bytes: $0, isWord: $1) }
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        for index in patterns.indices {
            let bytes = patterns[index].bytes
            var shorter = index > 0 ? index - 1 : nil
            while let other = shorter, !bytes.starts(with: patterns[other].bytes) {
                shorter = patterns[other].shorter
            }
            patterns[index].shorter = shorter
            isStart[Int(bytes[0])] = true
        }
    }

    /// Returns a text with the values in it replaced.
    func hiding(in text: String) -> String {
        if patterns.isEmpty { return text }
        var text = text
        return text.withUTF8 { text in
            let found = ranges(in: text)
            if found.isEmpty { return nil }
            var (result, end) = ([UInt8](), 0)
            for range in found {
                result += text[end..<range.lowerBound] + Array(Redaction.mark.utf8)
                end = range.upperBound
            }
            return String(decoding: result + text[end...], as: UTF8.self)
        } ?? text
    }

    /// Returns where values are; those that overlap are one.
    private func ranges(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        for start in text.indices where isStart[Int(text[start])] {
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
    private func endOfValue(at start: Int, in text: UnsafeBufferPointer<UInt8>) -> Int? {
        let rest = text[start...]
        /// Compares a pattern with the beginning of the rest.
        func order(_ pattern: [UInt8]) -> Int32 {
            let count = min(pattern.count, rest.count)
            let order = memcmp(pattern, text.baseAddress! + start, count)
            return order == 0 && pattern.count > rest.count ? 1 : order
        }
        // The last pattern that does not follow the rest in their order begins with all patterns
        // that the rest begins with.
        var (low, high) = (0, patterns.count)
        while low < high {
            let middle = (low + high) / 2
            if order(patterns[middle].bytes) > 0 { high = middle } else { low = middle + 1 }
        }
        var candidate = low > 0 ? low - 1 : nil
        while let index = candidate {
            let pattern = patterns[index]
            let end = start + pattern.bytes.count
            if order(pattern.bytes) == 0,
                !pattern.isWord || isBoundary(start, in: text) && isBoundary(end, in: text)
            {
                return end
            }
            candidate = pattern.shorter
        }
        return nil
    }
}

/// Whether an index is not between two letters or digits.
private func isBoundary(_ index: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    func isAlphanumeric(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20 }
    return index == 0 || index == text.count
        || !(isAlphanumeric(text[index - 1]) && isAlphanumeric(text[index]))
}

/// Finds the tokens of GitHub, GitLab, npm, Stripe, OpenAI, Slack, AWS, SendGrid and Google, JSON
/// Web Tokens, and private keys in PEM (RFC 7468), by their shapes.
enum TokenShape {
    private static let prefixes = words(
        """
        ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- npm_ sk_live_ rk_live_ sk- xoxa- xoxb- xoxe- xoxp-
        xoxr- xoxs- xapp- AKIA ASIA SG. AIza eyJ
        """)
    /// The lengths of tokens whose beginnings are also frequent in Base64.
    private static let lengths: [Substring: Int] = ["AKIA": 20, "ASIA": 20, "AIza": 39]
    private static let isInToken = (0...255).map { byte in
        "-._0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8.contains(byte)
    }

    /// Returns a text with the tokens in it replaced.
    static func hiding(in text: String) -> String {
        guard text.utf8.count >= 20 else { return text }
        let text = hidingPrivateKeys(in: text)
        let runs = text.utf8.split { !isInToken[Int($0)] }.map { run in
            // The end of a sentence.
            Substring(run.last == UInt8(ascii: ".") ? run.dropLast() : run)
        }.filter { run in
            run.utf8.count >= 20 && run.utf8.contains { 0x30...0x39 ~= $0 }
                && prefixes.contains(where: run.hasPrefix)
                && lengths[run.prefix(4)].map { run.utf8.count == $0 } ?? true
                && (!run.hasPrefix("eyJ") || run.utf8.contains(UInt8(ascii: ".")))
        }
        var (result, end) = ("", text.startIndex)
        for run in runs {
            result += text[end..<run.startIndex] + Redaction.mark
            end = run.endIndex
        }
        return runs.isEmpty ? text : result + text[end...]
    }

    /// Replaces private keys, also one whose end is missing.
    private static func hidingPrivateKeys(in text: String) -> String {
        guard text.contains("-----BEGIN ") else { return text }
        let key = /-----BEGIN [A-Z ]*PRIVATE KEY.*?(?:-----END [A-Z ]*-----|$)/.dotMatchesNewlines()
        return text.replacing(key, with: Redaction.mark)
    }
}
