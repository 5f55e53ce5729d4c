/// A JSON number that is compared by value: `1`, `1.0` and `10e-1` are equal. Its value is `digits`
/// × 10^`exponent`, with its sign.
package struct JSONNumber: Sendable {
    private let text: String
    private let isNegative: Bool
    /// The decimal digits, without zeros at either end.
    private let digits: [UInt8]
    private let exponent: Int
    /// The written exponent, if its magnitude is above 2⁶²; otherwise empty. It is compared as
    /// text.
    private let hugePower: String

    /// Reads a number.
    ///
    /// - Parameter text: A number in the grammar of RFC 8259, section 6.
    package init(_ text: String) {
        self.text = text
        let bytes = Array(text.utf8)
        let mantissa = bytes.prefix { !"eE".utf8.contains($0) }
        let power = bytes[mantissa.endIndex...].dropFirst()
        let fraction = mantissa.drop { $0 != UInt8(ascii: ".") }.dropFirst()
        let zero = UInt8(ascii: "0")
        var digits = mantissa.filter { $0 >= zero }.drop { $0 == zero }
        let length = digits.count
        while digits.last == zero { digits.removeLast() }
        var written = power.isEmpty ? 0 : Int(String(decoding: power, as: UTF8.self)) ?? .max
        // The limit keeps the sum below from overflowing.
        let isHuge = written.magnitude > 1 << 62
        if isHuge { written = 0 }
        let sign = power.first == UInt8(ascii: "-") ? "-" : ""
        let powerDigits = power.drop { $0 <= zero }
        hugePower = isHuge ? sign + String(decoding: powerDigits, as: UTF8.self) : ""
        self.digits = Array(digits)
        exponent =
            digits.isEmpty
            ? 0 : written - fraction.count + (length - digits.count)
        isNegative = mantissa.first == UInt8(ascii: "-") && !digits.isEmpty
    }

    /// Whether two numbers have the same value.
    ///
    /// Integers are compared exactly. Other numbers are compared as `Double`, because encoders
    /// write 0.1 with different numbers of digits.
    package func isEqual(to other: JSONNumber) -> Bool {
        if isNegative == other.isNegative, exponent == other.exponent, digits == other.digits,
            hugePower == other.hugePower || digits.isEmpty
        {
            return true
        }
        if !hugePower.isEmpty || !other.hugePower.isEmpty { return false }
        if exponent >= 0, other.exponent >= 0 { return false }
        guard let value = Double(text), let otherValue = Double(other.text) else { return false }
        return value.isFinite && value == otherValue
    }
}
