/// The rules that recognize payment card numbers in a text (ISO/IEC 7812).
enum CardNumber {
    private static let lengths = 13...19

    /// Returns the ranges of the payment card numbers in a text, in order.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isCut: Whether the text was cut, so that digits at its end may be the beginning of a
    ///     number.
    static func ranges(in text: [UInt8], isCut: Bool) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var index = 0
        while index < text.count {
            guard isDigit(text[index]) else {
                index += 1
                continue
            }
            let number = numbers(at: index, in: text).last { range, digits in
                let isUnfinished = isCut && range.upperBound == text.count
                return isAlone(range, in: text)
                    && (isUnfinished ? mayBegin(digits) : isCard(digits))
            }
            if let number {
                ranges.append(number.range)
                index = number.range.upperBound
            } else {
                // A number may begin with the second group of digits.
                index = text[index...].prefix(while: isDigit).endIndex
            }
        }
        return ranges
    }

    /// Reads the digits at an index, with a single space or hyphen between groups of 3 to 6 digits.
    ///
    /// - Returns: The number that ends with each of the groups, the longest last. Digits of another
    ///   kind, such as an amount, may follow a card number in the same form.
    private static func numbers(
        at start: Int, in text: [UInt8]
    ) -> [(range: Range<Int>, digits: [UInt8])] {
        func group(at index: Int) -> ArraySlice<UInt8> { text[index...].prefix(while: isDigit) }
        var digits = Array(group(at: start))
        var end = start + digits.count
        var numbers = [(range: start..<end, digits: digits)]
        // Other groups are those of a date or a phone number.
        guard digits.count == 4, end < text.count, " -".utf8.contains(text[end]) else {
            return numbers
        }
        let separator = text[end]
        while end + 1 < text.count, text[end] == separator {
            let next = group(at: end + 1)
            guard 3...6 ~= next.count, digits.count + next.count <= lengths.upperBound else {
                break
            }
            digits += next
            end = next.endIndex
            numbers.append((start..<end, digits))
        }
        return numbers
    }

    /// Whether digits are not a part of a word, of a fraction or of a number with an exponent.
    private static func isAlone(_ range: Range<Int>, in text: [UInt8]) -> Bool {
        func byte(_ index: Int) -> UInt8? { text.indices.contains(index) ? text[index] : nil }
        func isPoint(_ index: Int, besideDigit other: Int) -> Bool {
            byte(index) == UInt8(ascii: ".") && byte(other).map(isDigit) ?? false
        }
        let (before, after) = (range.lowerBound - 1, range.upperBound)
        return !(byte(before).map(isLetter) ?? false) && !(byte(after).map(isLetter) ?? false)
            && !isPoint(before, besideDigit: before - 1) && !isPoint(after, besideDigit: after + 1)
    }

    /// Whether digits can be a payment card number: by its first digit, its length and its checksum.
    private static func isCard(_ digits: [UInt8]) -> Bool {
        lengths.contains(digits.count) && isOfCardIndustry(digits[0]) && passesLuhnCheck(digits)
    }

    /// Whether digits can be the beginning of a payment card number that was cut. Fewer than seven
    /// digits name only the issuer of a card.
    private static func mayBegin(_ digits: [UInt8]) -> Bool {
        7...lengths.upperBound ~= digits.count && isOfCardIndustry(digits[0])
    }

    /// Whether the first digit is that of a payment industry. Timestamps begin with 1.
    private static func isOfCardIndustry(_ digit: UInt8) -> Bool {
        UInt8(ascii: "2")...UInt8(ascii: "6") ~= digit
    }

    /// Whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B).
    private static func passesLuhnCheck(_ digits: [UInt8]) -> Bool {
        var sum = 0
        for (index, byte) in digits.reversed().enumerated() {
            let digit = Int(byte - UInt8(ascii: "0"))
            let doubled = digit * 2
            sum += index.isMultiple(of: 2) ? digit : doubled > 9 ? doubled - 9 : doubled
        }
        return sum.isMultiple(of: 10)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
}
