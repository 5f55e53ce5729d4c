/// The rules for the method of a request.
enum HTTPMethod {
    /// The methods of RFC 9110 and RFC 5789.
    private static let known = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
    ]

    /// Returns the method as it is sent: a known one in upper case, any other word unchanged.
    ///
    /// Methods are case-sensitive, and Foundation sends `patch` unchanged.
    ///
    /// - Throws: ``RequestBuildingError/unusableMethod(_:)`` for text that is not one word, and for
    ///   a misspelling of a known method.
    static func checked(_ method: String) throws -> String {
        guard method.utf8.isHTTPToken, nearMiss(of: method) == nil else {
            throw RequestBuildingError.unusableMethod(method)
        }
        return known.contains(method.uppercased()) ? method.uppercased() : method
    }

    /// Returns the known method of which a word is probably a misspelling: two neighbouring letters
    /// are swapped, or one letter is missing or too many.
    ///
    /// A replaced letter does not count, because methods in use differ from known ones in just one:
    /// `TRACK` and `TRACE`.
    static func nearMiss(of method: String) -> String? {
        guard method.utf8.isHTTPToken else { return nil }
        let letters = Array(method.uppercased().utf8)
        return known.first { known in
            let known = Array(known.utf8)
            return isSwap(letters, of: known) || isLonger(letters, than: known)
                || isLonger(known, than: letters)
        }
    }

    private static func isSwap(_ letters: [UInt8], of known: [UInt8]) -> Bool {
        letters != known
            && known.indices.dropLast().contains { index in
                var swapped = known
                swapped.swapAt(index, index + 1)
                return swapped == letters
            }
    }

    /// Whether one text is the other with one letter more.
    private static func isLonger(_ letters: [UInt8], than other: [UInt8]) -> Bool {
        letters.count == other.count + 1
            && letters.indices.contains { letters[..<$0] + letters[($0 + 1)...] == other[...] }
    }
}
