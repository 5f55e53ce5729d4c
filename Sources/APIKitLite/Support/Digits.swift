/// Returns a number as text, with zeros before it until it has a number of digits.
package func digits(_ number: some BinaryInteger, radix: Int = 10, count: Int) -> String {
    let digits = String(number, radix: radix)
    return String(repeating: "0", count: max(count - digits.count, 0)) + digits
}

extension Collection<UInt8> {
    /// Whether the bytes are one or more ASCII digits. `Int(_:)` also accepts a sign.
    package var areDigits: Bool { !isEmpty && allSatisfy { 0x30...0x39 ~= $0 } }
}

/// Returns the number in a text that consists of ASCII digits only, or nil for any other text.
func byteNumber(_ text: some StringProtocol) -> Int64? {
    text.utf8.areDigits ? Int64(text) : nil
}
