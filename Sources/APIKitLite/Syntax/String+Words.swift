import Foundation

extension StringProtocol where SubSequence == Substring {
    /// Returns the parts between the occurrences of an ASCII character, including empty parts.
    func split(_ separator: Unicode.Scalar) -> [Substring] {
        Substring(self).utf8
            .split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    /// Returns the text before and after the first occurrence of an ASCII character, or the entire
    /// text and `nil` if the character does not occur.
    func cut(at character: Unicode.Scalar) -> (Substring, Substring?) {
        let text = Substring(self)
        guard let index = text.utf8.firstIndex(of: UInt8(ascii: character)) else {
            return (text, nil)
        }
        return (text[..<index], text[text.utf8.index(after: index)...])
    }

    /// Returns the text with parts of it replaced. Pass the parts in the order of the text.
    func replacing(_ parts: [Substring], with replacement: (Substring) -> String) -> String {
        var (result, end) = ("", startIndex)
        for part in parts {
            result += self[end..<part.startIndex] + replacement(part)
            end = part.endIndex
        }
        return result + self[end...]
    }
}

/// Returns the words in a string. A long string compiles much faster than an array literal.
func words(_ text: String) -> Set<String> {
    Set(text.split(whereSeparator: \.isWhitespace).map { String($0) })
}

/// The ASCII letters and digits.
let alphanumerics = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/// Returns a table that says for each byte whether a string contains it.
func byteTable(_ text: String) -> [Bool] { (0...255).map { text.utf8.contains($0) } }

/// Returns a size in bytes as text, the same in every locale: `1 byte`, `1,234 bytes`.
package func byteCount(_ count: some BinaryInteger) -> String {
    let count = Int64(count)
    let format = IntegerFormatStyle<Int64>(locale: Locale(identifier: "en_US"))
    return format.format(count) + (count == 1 ? " byte" : " bytes")
}
