import Foundation

extension Date {
    /// Parses the date of an HTTP header (RFC 9110, section 5.6.7).
    ///
    /// The form is `Sun, 06 Nov 1994 08:49:37 GMT` or one of two obsolete ones:
    /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. The weekday must be valid,
    /// but it need not fit the date. For any other text, such as another time zone or a 30th of
    /// February, the result is nil.
    ///
    /// - Parameters:
    ///   - text: The value of the header.
    ///   - now: The current date. A year of two digits is at most 50 years after it.
    package init?(httpDate text: String, now: Date) {
        let words = text.trimmingCharacters(in: .whitespaces).split(separator: " ")
        let fields: [Substring]
        switch words.count {
        case 6 where words[0].hasSuffix(",") && words[5] == "GMT":
            guard shortDays.contains(String(words[0].dropLast())), words[1].count == 2,
                words[3].count == 4
            else { return nil }
            fields = Array(words[1...4])
        case 4 where words[0].hasSuffix(",") && words[3] == "GMT":
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard longDays.contains(String(words[0].dropLast())), date.count == 3,
                date[0].count == 2, date[2].count == 2
            else { return nil }
            fields = date + [words[2]]
        case 5:
            guard shortDays.contains(String(words[0])), words[4].count == 4 else { return nil }
            fields = [words[2], words[1], words[4], words[3]]
        default:
            return nil
        }
        self.init(day: fields[0], month: fields[1], year: fields[2], time: fields[3], now: now)
    }

    /// The date in the form of an HTTP header: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var httpText: String {
        // A `DateFormatter` would be the slowest part of a served response.
        var seconds = time_t(timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = "\(shortDays[Int(parts.tm_wday)]), \(two(parts.tm_mday))"
        let month = "\(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
        return "\(day) \(month) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }

    /// Creates a date from the fields of a header's date.
    private init?(
        day: Substring, month: Substring, year: Substring, time: Substring, now: Date
    ) {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        let hasCentury = year.count == 4
        guard let month = months.firstIndex(of: String(month)),
            let day = number(day, digits: 1...2), let year = number(year, digits: 2...4),
            clock.count == 3, let hour = number(clock[0], digits: 2...2), hour < 24,
            let minute = number(clock[1], digits: 2...2), minute < 60,
            // 60 is a leap second.
            let second = number(clock[2], digits: 2...2), second <= 60
        else { return nil }
        let time = Double(hour * 3600 + minute * 60 + second)
        func date(_ year: Int) -> Date? {
            days(to: day, month + 1, year).map { Date(timeIntervalSince1970: $0 * 86_400 + time) }
        }

        let latest = now.addingTimeInterval(50 * 31_556_952)
        let years = hasCentury ? [year] : stride(from: 9900, to: 0, by: -100).map { $0 + year }
        guard
            let found = years.lazy.compactMap({ date($0) })
                .first(where: { hasCentury || $0 <= latest })
        else { return nil }
        self = found
    }
}

private let shortDays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
private let longDays = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
]
private let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
]

/// Returns the number in a text that consists of ASCII digits only, as many as allowed.
///
/// The bytes are checked because `Int(_:)` also accepts a sign.
private func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ 48...57 ~= $0 }) else {
        return nil
    }
    return Int(text)
}

/// Returns the days from 1970-01-01 to a day, or nil if the Gregorian calendar has no such day.
private func days(to day: Int, _ month: Int, _ year: Int) -> Double? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...lengths[month - 1]).contains(day) else { return nil }
    let before = year - 1
    let leapDays = before / 4 - before / 100 + before / 400 - 477
    return Double((year - 1970) * 365 + leapDays + lengths[..<(month - 1)].reduce(0, +) + day - 1)
}
