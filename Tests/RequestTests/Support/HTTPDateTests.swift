import Foundation
import TestSupport
import Testing

@testable import APIKitLite

@Suite(.limited) struct HTTPDateTests {
    private let now = Date(timeIntervalSince1970: 1_763_700_000)  // In November 2025.

    @Test func reads() {
        let rows: [(String, Double)] = [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Wed Nov 16 08:49:37 1994", 784_975_777),
            (" Sun, 06 Nov 1994 08:49:37 GMT ", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
            ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ]
        for (text, expected) in rows {
            #expect(
                Date(httpDate: text, now: now) == Date(timeIntervalSince1970: expected), "\(text)")
        }
    }

    @Test(arguments: [
        ("75", 2075), ("76", 1976), ("99", 1999), ("00", 2000), ("25", 2025), ("74", 2074),
    ])
    func takesTwoDigitsForTheYearThatIsNear(_ digits: String, _ year: Int) {
        let days = ["Sun", "Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur"]

        let dates = days.compactMap {
            Date(httpDate: "\($0)day, 01-Jan-\(digits) 00:00:00 GMT", now: now)
        }

        // One of the days is right.
        #expect(dates.map { $0.httpText.dropFirst(5) } == ["01 Jan \(year) 00:00:00 GMT"])
    }

    @Test func refusesAnythingElse() {
        let rows: [String] = [
            // The weekday is wrong.
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "", " ", "GMT", "7", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 2023 12:00:00 GMT",
            "Mon, 29 Feb 1900 12:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 08:49:37:00 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov -994 08:49:37 GMT", "Sun, ٠٦ Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
            "Sunday, 06-Nov 08:49:37 GMT", "Sun Nov  6 08:49:37 94", "Sun Nov 6 08:49:37 1994 GMT",
            "1994-11-06T08:49:37Z",
        ]
        for text in rows {
            #expect(Date(httpDate: text, now: now) == nil, "\(text)")
        }
    }
}
