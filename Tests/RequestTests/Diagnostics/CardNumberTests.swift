import APIKitLite
import Foundation
import Testing

/// Which digits in a text are the number of a payment card. The numbers are the test numbers that
/// payment providers publish.
@Suite(.timeLimit(.minutes(5))) struct CardNumberTests {
    private static let numbers = [
        "4242424242424242", "4111111111111111", "4222222222222", "4000000760000002",
        "5555555555554444", "2223003122003222", "378282246310005", "6011111111111117",
        "6205500000000000004", "3056930009020004", "36227206271667", "3566002020360505",
        "4242 4242 4242 4242", "4242-4242-4242-4242", "3782 822463 10005", "3782-822463-10005",
    ]

    @Test(arguments: numbers)
    func hidesTheNumberOfACard(_ number: String) {
        for text in [
            "\(number)", "Card \(number) was declined.", "pay(\(number))", "no:\(number);",
            "→\(number)",
            "card_\(number)", "\(number), \(number)",
        ] {
            let expected = text.replacingOccurrences(of: number, with: "REDACTED")
            #expect(Redaction.standard.text(text) == expected)
            #expect(Redaction.none.text(text) == text)
            #expect((["pin"] as Redaction).text(text) == text)
        }
    }

    @Test(arguments: numbers)
    func hidesItInEveryPlace(_ number: String) throws {
        let escaped = number.replacingOccurrences(of: " ", with: "%20")
        let form = "a=\(number.replacingOccurrences(of: " ", with: "+"))&b=1"
        let formType = "application/x-www-form-urlencoded"
        let json = Data(#"{"a":["\#(number)"],"b":1}"#.utf8)

        #expect(
            Redaction.standard.url("https://h/\(escaped)/x?a=\(escaped)&b=1#\(escaped)")
                == "https://h/REDACTED/x?a=REDACTED&b=1#REDACTED")
        #expect(Redaction.standard.headerValue("a \(number)", named: "X-A") == "a REDACTED")
        #expect(
            Redaction.standard.body(Data(form.utf8), contentType: formType) == "a=REDACTED&b=1")
        #expect(Redaction.standard.body(json, contentType: nil) == #"{"a":["REDACTED"],"b":1}"#)
        guard number.utf8.allSatisfy({ $0 >= 0x30 }) else { return }
        #expect(
            Redaction.standard.body(Data("[\(number),1]".utf8), contentType: nil)
                == #"["REDACTED",1]"#)
    }

    @Test(arguments: [
        // Another check digit, another length, another industry.
        "4242424242424241", "424242424242", "42424242424242424242", "1234567812345670",
        // Timestamps in milliseconds, microseconds and nanoseconds.
        "1700000000008", "1700000000000003", "1700000000000000008",
        // Parts of a word, a fraction and a number with an exponent.
        "a4242424242424242", "4242424242424242b", "0.4242424242424242", "4242424242424242.5",
        "4242424242424242e3",
        // Other groups: dates, a phone number, two separators.
        "2024-01-02 2024-01-03 4", "+49 30 4242 4242", "42 42 42 42 42 42 42 42",
        "4242-4242 4242-4242", "4242  4242  4242  4242", "4242,4242,4242,4242",
        "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    ])
    func showsOtherDigits(_ text: String) {
        #expect(Redaction.standard.text(text) == text)
        let json = #"{"id":"\#(text)"}"#
        #expect(Redaction.standard.body(Data(json.utf8), contentType: nil) == json)
    }

    @Test func findsANumberBehindOtherGroups() {
        #expect(
            Redaction.standard.text("1234 4242 4242 4242 4242 1234")
                == "1234 REDACTED 1234")
        #expect(Redaction.standard.text("2024 4242424242424242") == "2024 REDACTED")
    }

    @Test(arguments: [
        ("4111 1111 1111 1111", "123"), ("4111-1111-1111-1111", "123"),
        ("3782 822463 10005", "1234"), ("3782-822463-10005", "1234"),
        ("4111 1111 1111 1111", "123.5"), ("4111 1111 1111 1111", "123a"),
    ])
    func hidesANumberBeforeOtherGroups(_ number: String, _ rest: String) {
        let separator = number.contains("-") ? "-" : " "
        let text = "Card \(number)\(separator)\(rest)"

        #expect(Redaction.standard.text(text) == "Card REDACTED\(separator)\(rest)")
    }

    /// One in ten identifiers of that form passes the check. A test can show it.
    @Test func showsAnIdentifierThatATestNames() {
        let json = Data(#"{"id":4242424242424242,"to":"4242424242424242"}"#.utf8)

        #expect(
            Redaction.standard.showing("id").body(json, contentType: nil)
                == #"{"id":4242424242424242,"to":"REDACTED"}"#)
    }

    /// Of a long text only a part is redacted. A hidden value shortens it, so that its end is shown.
    @Test(arguments: 0..<24)
    func showsNoHalfOfANumberInALongText(_ offset: Int) {
        func secret(_ length: Int) -> String { String(repeating: "x", count: length - offset) }
        let rest = String(repeating: "y", count: 100)
        let text = "token=\(secret(6_000)) 4242424242424242 \(rest)"
        let bodies = [
            #"{"token":"\#(secret(2_200))","a":4242424242424242,"b":"\#(rest)"}"#,
            #"{"token":"\#(secret(2_200))","a":"4242424242424242","b":"\#(rest)"}"#,
        ]

        let errors =
            [APIRequestError(stage: .transport, underlying: Quoting(description: text))]
            + bodies.map { body in
                APIRequestError(
                    stage: .validate, data: Data(body.utf8),
                    underlying: UnacceptableStatus(statusCode: 400))
            }

        for error in errors { #expect(!error.description.contains("42424242")) }
    }

    private struct Quoting: Error, CustomStringConvertible { let description: String }
}
