/// Returns a number of bytes as text, the same in every locale: `1 byte`, `1,234 bytes`.
package func byteCount(_ count: some BinaryInteger) -> String {
    var digits = String(count)
    var index = digits.count - 3
    while index > 0 {
        digits.insert(",", at: digits.index(digits.startIndex, offsetBy: index))
        index -= 3
    }
    return digits + (count == 1 ? " byte" : " bytes")
}
