import Foundation

extension Date {
    /// The date in the format of an HTTP header: `Sun, 06 Nov 1994 08:49:37 GMT`.
    var httpText: String {
        // A `DateFormatter` would be the slowest part of a served response.
        var seconds = time_t(timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday))"
        let month = "\(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
        return "\(day) \(month) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}

private let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
private let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
]
