extension Collection<UInt8> {
    /// Whether the bytes are one or more ASCII digits. `Int(_:)` also accepts a sign.
    var areDigits: Bool { !isEmpty && allSatisfy { 0x30...0x39 ~= $0 } }
}

/// Returns the number in a text that consists of ASCII digits only, or nil for any other text.
package func byteNumber(_ text: some StringProtocol) -> Int64? {
    text.utf8.areDigits ? Int64(text) : nil
}
