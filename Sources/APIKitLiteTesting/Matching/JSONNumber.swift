/// A JSON number by its value: `1`, `1.0` and `10e-1` are one number.
package struct JSONNumber: Sendable {
    private let text: String
    private let isNegative: Bool
    /// Without zeros at either end.
    private let digits: [UInt8]
    private let exponent: Int
    /// The power as it is written, where an `Int` cannot hold it; it then counts as text.
    private let hugePower: String

    /// - Parameter text: As the grammar of RFC 8259 allows it.
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
        // What is added below must not overflow.
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

    /// Whole numbers are compared to the last digit, others as a `Double` holds them: encoders
    /// write 0.1 with as many digits as they like.
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
