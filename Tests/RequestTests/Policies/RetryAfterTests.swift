import APIKitLite
import TestSupport

@Suite(.limited) struct RetryAfterTests {
    private let request = URLRequest(url: URL(string: "https://api.example.com/a")!)
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    @Test func waitsAsLongAsTheServerAsks() {
        let rows: [(String, String?, Double?)] = [
            // Seconds. Beyond the policy's longest delay, nothing is sent again.
            ("7", nil, 7), (" 7 ", nil, 7), ("0", nil, 0), ("007", nil, 7), ("30", nil, 30),
            // A fraction, rounded up.
            ("2.0", nil, 2), ("2.000", nil, 2), ("2.5", nil, 3), (" 2.01\t", nil, 3),
            ("0.0", nil, 0), ("0.001", nil, 1), ("29.5", nil, 30), ("30.0", nil, 30),
            ("30.1", nil, nil),
            ("9223372036854775807.5", nil, nil), ("99999999999999999999.0", nil, nil),
            ("31", nil, nil), ("3600", nil, nil), ("99999999999999999999999999", nil, nil),
            // A date, compared with the date of the response.
            ("Sun, 06 Nov 1994 08:50:07 GMT", "Sun, 06 Nov 1994 08:50:00 GMT", 7),
            ("Sunday, 06-Nov-94 08:50:07 GMT", "Sun, 06 Nov 1994 08:50:00 GMT", 7),
            ("Sun Nov  6 08:50:07 1994", "Sunday, 06-Nov-94 08:50:00 GMT", 7),
            // A date, compared with the current date if the response has no valid one.
            ("Sun, 06 Nov 1994 08:49:44 GMT", nil, 7),
            ("Sun, 06 Nov 1994 08:49:44 GMT", "yesterday", 7),
            ("Wed Nov 16 08:49:44 1994", "Wed, 16 Nov 1994 08:49:37 GMT", 7),
            // The ends of months and years.
            ("Fri, 01 Mar 2024 00:00:05 GMT", "Thu, 29 Feb 2024 23:59:58 GMT", 7),
            ("Wed, 01 Mar 2000 00:00:05 GMT", "Tue, 29 Feb 2000 23:59:58 GMT", 7),
            ("Mon, 01 Mar 2100 00:00:05 GMT", "Sun, 28 Feb 2100 23:59:58 GMT", 7),
            ("Thu, 01 Jan 1970 00:00:05 GMT", "Wed, 31 Dec 1969 23:59:58 GMT", 7),
            // Another name of GMT, and another zone.
            ("Sun, 06 Nov 1994 08:49:44 UTC", nil, 7), ("Sun, 06 Nov 1994 08:49:44 UT", nil, 7),
            ("Sun, 06 Nov 1994 08:49:44 +0000", nil, 7),
            ("Sun, 06 Nov 1994 08:49:44 -0000", nil, 7),
            ("Sun, 06 Nov 1994 09:49:44 +0100", nil, 7),
            ("Sun, 06 Nov 1994 00:19:44 -0830", nil, 7),
            ("Sunday, 06-Nov-94 10:50:07 +0200", "Sun, 06 Nov 1994 08:50:00 UTC", 7),
            ("Sun, 06 Nov 1994 08:49:44 +0100", nil, 0),
            ("Fri, 31 Dec 9999 23:59:59 +0000", nil, nil),
            // In the past, and beyond the longest wait.
            ("Sun, 06 Nov 1994 08:49:00 GMT", nil, 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Mon, 07 Nov 1994 08:49:37 GMT", 0),
            ("Mon, 07 Nov 1994 08:49:37 GMT", nil, nil),
            ("Fri, 31 Dec 9999 23:59:59 GMT", nil, nil),
        ]
        // Treated as if the header were missing.
        let invalid = [
            "", "soon", "-7", "+7", "7 s", "2.", ".5", "-2.0", "2,5", "2.0.0", "2.0e1", "1e1",
            "2.0, 2.0", "2.+5", "NaN", "inf", "٧", "0x7", "Sun, 06 Nov 1994 08:49:44 CET",
            "Sun, 06 Nov 1994 08:49:44 +000", "Sun, 06 Nov 1994 08:49:44 +00000",
            "Sun, 06 Nov 1994 08:49:44 00100", "Sun, 06 Nov 1994 08:49:44 GMT+0000",
            "Sun Nov  6 08:49:44 1994 UTC", "UTC", "+0000", "Sun, 06 Nov 1994 08:49:44",
            "1994-11-06T08:49:44Z",
            // The weekday is wrong, or there is no such day or time.
            "Mon, 06 Nov 1994 08:49:44 GMT", "Sun, 31 Nov 1994 08:49:44 GMT",
            "Wed, 29 Feb 2023 12:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:44 GMT", "Sun, 06 Nox 1994 08:49:44 GMT",
            // Other numbers of digits, other digits and a mixture of two forms.
            "Sun, 6 Nov 1994 08:49:44 GMT", "Sun, 06 Nov 94 08:49:44 GMT",
            "Sun, ٠٦ Nov 1994 08:49:44 GMT", "Sunday, 06-Nov-1994 08:49:44 GMT",
            "Sun, 06-Nov-94 08:49:44 GMT", "Sun Nov 6 08:49:44 1994 GMT",
        ]
        for (value, date, expected) in rows + invalid.map({ ($0, nil, 0.5) }) {
            var headers = ["retry-after": value]
            headers["Date"] = date

            let waits = RetryPolicy.standard.schedule(
                for: [.response(status: 503, headers: headers)], of: request, now: Self.now)

            let seconds: [Duration] = expected.map { [.seconds($0)] } ?? []
            #expect(waits == seconds, "\(value), date \(date ?? "none")")
        }
    }

    @Test func tellsARuleWhatTheServerAsks() {
        let rows: [(Int, [String: String], Duration?)] = [
            (202, ["Retry-After": "7"], .seconds(7)), (503, ["Retry-After": "600"], .seconds(600)),
            (202, ["retry-after": "Sun, 06 Nov 1994 08:49:44 GMT"], .seconds(7)),
            (202, [:], nil), (429, ["Retry-After": "soon"], nil),
        ]
        for (status, headers, expected) in rows {
            let attempt = RetryAttempt(
                of: request, response: .status(status, headers: headers), now: Self.now)
            #expect(attempt.retryAfter == expected, "\(status) \(headers)")
        }
        #expect(RetryAttempt(of: request, error: URLError(.timedOut)).retryAfter == nil)
    }

    /// RFC 9110, section 5.6.7: a year that would be more than 50 years ahead is in the past.
    @Test(arguments: [
        ("75", true), ("76", false), ("99", false), ("00", false), ("25", false), ("74", true),
    ])
    func takesTwoDigitsForTheYearThatIsNear(_ digits: String, _ isAhead: Bool) {
        let now = Date(timeIntervalSince1970: 1_763_700_000)  // In November 2025.
        let days = ["Sun", "Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur"]

        let delays = days.compactMap { day in
            let date = "\(day)day, 01-Jan-\(digits) 00:00:00 GMT"
            return RetryAttempt(
                of: request, response: .status(503, headers: ["Retry-After": date]), now: now
            ).retryAfter
        }

        // One of the days is right.
        #expect(delays.map { $0 > .zero } == [isAhead])
    }

    @Test func tellsTheTimeAsItGoesOn() {
        let outcome = AttemptOutcome.response(
            status: 503, headers: ["Retry-After": "Sun, 06 Nov 1994 08:50:07 GMT"])
        let policy = RetryPolicy(maximumAttempts: 4)

        let waits = policy.schedule(
            for: [.failure(.timedOut), outcome, outcome, outcome], of: request,
            attemptsTaking: .seconds(10), now: Self.now)

        // 10 s, 0.5 s and 10 s have gone by when it says "in 30 s".
        #expect(waits == [.seconds(0.5), .seconds(9.5), .zero])
    }

    @Test func waitsLongerIfThePolicyAllowsItAndAddsNoChance() {
        let patient = RetryPolicy(maximumDelay: .seconds(3_600), deadline: nil)
        for (policy, seconds) in [(patient, 3_600), (.standard, 7)] {
            let headers = ["Retry-After": "\(seconds)"]
            let outcome = AttemptOutcome.response(status: 429, headers: headers)
            #expect(policy.schedule(for: [outcome], of: request, random: 0) == [.seconds(seconds)])
        }
    }

    @Test func waitsBetweenZeroAndTheLongestForADateThatIsNotFinite() {
        let outcome = AttemptOutcome.response(
            status: 503, headers: ["Retry-After": "Sunday, 06-Nov-94 08:49:37 GMT"])

        for now in [Double.nan, .infinity, -.infinity] {
            let waits = RetryPolicy.standard.schedule(
                for: [outcome], of: request, now: Date(timeIntervalSince1970: now))
            #expect(waits.allSatisfy { $0 >= .zero && $0 <= .seconds(30) }, "\(waits)")
            #expect(waits.count == 1, "\(now)")
        }
    }
}
