import Foundation

extension Date {
    /// Parses the date of an HTTP header (RFC 9110, section 5.6.7).
    ///
    /// The form is `Sun, 06 Nov 1994 08:49:37 GMT` or one of two obsolete forms: `Sunday, 06-Nov-94
    /// 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. `UTC`, `UT` and an offset such as `+0100` are
    /// accepted in place of `GMT`. Returns nil for any other text, for example with the name of
    /// another zone, a wrong weekday or February 30.
    init?(httpDate text: String, now: Date) {
        var words = text.split(separator: " ")
        let zone = words.last ?? ""
        let isOffset = zone.utf8.count == 5 && "+-".contains(zone.prefix(1))
        let offset = ["UTC", "UT"].contains(zone) ? 0 : isOffset ? Int(zone) : nil
        if offset != nil { words[words.count - 1] = "GMT" }
        let text = words.joined(separator: " ")
        let formats = [
            "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'",
            "EEE MMM d HH:mm:ss yyyy",
        ]
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.twoDigitStartDate = now.addingTimeInterval(-50 * 31_556_952)
        for format in formats {
            formatter.dateFormat = format
            // A formatter also accepts a wrong number of digits.
            if let date = formatter.date(from: text), formatter.string(from: date) == text {
                let (hours, minutes) = (offset ?? 0).quotientAndRemainder(dividingBy: 100)
                self = date - TimeInterval(hours * 3_600 + minutes * 60)
                return
            }
        }
        return nil
    }
}
