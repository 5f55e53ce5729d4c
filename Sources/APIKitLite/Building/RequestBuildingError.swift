import Foundation

/// An error that says why a request cannot be built, and what to change.
public enum RequestBuildingError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// The method is not one word (a token of RFC 9110, section 5.6.2).
    case unusableMethod(String)
    /// The base URL has no host, or a fragment.
    case unusableBase(URL, reason: String)
    /// The path template has a brace, a segment or a character that is not allowed.
    case unusableTemplate(String, reason: String)
    /// The template has a name without a value.
    case missingValue(name: String, template: String)
    /// A value was given for a name that is not in the template.
    case unusedValue(name: String, template: String)
    /// A value for the path, the query or the form cannot be sent.
    case unusableValue(name: String, reason: String)
    /// The header's name is not one word, or its value is not allowed. The error omits the value.
    case unusableHeader(name: String, reason: String)
    /// A body was given, but a request with this method has none.
    case bodyNotAllowed(method: String)
    /// A part's name, file name or content type contains a line break or NUL.
    case unusablePart(name: String, reason: String)
    /// The multipart boundary occurs in a part, or is not allowed by RFC 2046, section 5.1.1.
    case unusableBoundary(String, reason: String)
    /// Foundation makes no URL of the composed text, or a different one.
    case unusableURL(String)

    /// The cause and what to change, with the secrets of a URL removed.
    public var description: String {
        switch self {
        case .unusableMethod(let method):
            "\(quoted(method)) is not an HTTP method. Use one word, such as GET or POST."
        case .unusableBase(let url, let reason):
            "The base URL \(quoted(Redaction.standard.url(url.absoluteString))) \(reason)"
        case .unusableTemplate(let template, let reason):
            "The path template \(quoted(template)) \(reason)"
        case .missingValue(let name, let template):
            "The path template \(quoted(template)) has no value for {\(name)}. "
                + "Give one: [\(quoted(name)): …]."
        case .unusedValue(let name, let template):
            "The path template \(quoted(template)) has no {\(name)}, but a value for it was given. "
                + "Remove the value, or send it with `query:`."
        case .unusableValue(let name, let reason):
            "The value for \(quoted(name)) \(reason)"
        case .unusableHeader(let name, let reason):
            "The header \(quoted(name)) \(reason)"
        case .bodyNotAllowed(let method):
            "A \(method) request has no body. Use another method, such as POST, or a query."
        case .unusablePart(let name, let reason):
            "The multipart part \(quoted(name)) \(reason)"
        case .unusableBoundary(let boundary, let reason):
            "The multipart boundary \(quoted(boundary)) \(reason)"
        case .unusableURL(let text):
            "\(quoted(Redaction.standard.url(text))) is not a URL that Foundation keeps as it is. "
                + "Check the scheme and the host of the base."
        }
    }

    /// The same sentences as `description`.
    public var errorDescription: String? { description }

    /// Returns the text in quotation marks, with line breaks and NUL escaped.
    private func quoted(_ text: String) -> String { text.debugDescription }
}
