import Foundation

/// The error of an element of a stream that could not be parsed.
///
/// Its texts show an excerpt of the element without secrets. The property ``text`` is complete.
public struct StreamElementError: LocalizedError, RedactingError {
    /// The number of the element in the stream. The first one is 1.
    public let number: Int
    /// The text of the element.
    public let text: String
    /// The original error, such as a `DecodingError`.
    public let underlying: any Error

    /// Creates the error.
    ///
    /// - Parameters:
    ///   - number: The number of the element in the stream. The first one is 1.
    ///   - text: The text of the element.
    ///   - underlying: The original error.
    public init(number: Int, text: String, underlying: any Error) {
        self.number = number
        self.text = text
        self.underlying = underlying
    }

    /// The text for a developer: the number, the reason and an excerpt of the element.
    public var description: String { redactedDescription }

    /// The text for a user.
    public var errorDescription: String? {
        "A part of the server's answer could not be understood."
    }

    package func sentences(redacting redaction: Redaction) -> [String] {
        let start = redaction.element(text).excerpt()
        guard let error = underlying as? DecodingError else {
            let error = APIRequestError(stage: .parse, underlying: underlying, redaction: redaction)
            return [headline] + error.reason + ["Element: " + start]
        }
        let element = UndecodedText(
            subject: "The element", data: Data(text.utf8), redaction: redaction)
        let (sentence, excerpt) = element.reason(error)
        return [headline, sentence, "Element: " + (excerpt ?? start)]
    }

    private var headline: String { "Element \(number) of the stream could not be parsed." }
}
