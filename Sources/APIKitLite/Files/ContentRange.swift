/// The part of a file that a response contains (RFC 9110, section 14.4).
struct ContentRange: Hashable, Sendable {
    /// The positions of the bytes. The range is not empty.
    let bytes: Range<Int64>
    /// The length of the whole file, or `nil` if the server does not know it.
    let length: Int64?

    /// Parses a `Content-Range` field, such as `bytes 5-9/10`.
    ///
    /// - Parameter field: The value of the field. For another unit, for the form of a 416
    ///   (`bytes */10`) and for bounds that are impossible, the result is `nil`.
    init?(_ field: String) {
        let words = field.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = byteNumber(bounds[0]),
            let last = byteNumber(bounds[1]), first <= last, last < .max
        else { return nil }
        bytes = first..<last + 1
        if parts[1] == "*" {
            length = nil
        } else {
            guard let length = byteNumber(parts[1]), last < length else { return nil }
            self.length = length
        }
    }
}

/// Returns the number in a text that consists of ASCII digits only, or `nil` for any other text.
///
/// The bytes are checked because `Int64(_:)` also accepts a sign.
func byteNumber(_ text: some StringProtocol) -> Int64? {
    text.utf8.allSatisfy { 48...57 ~= $0 } ? Int64(text) : nil
}
