import Foundation

/// Why no request was built, and what to change.
public enum RequestBuildingError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// The method is empty, or not one word.
    case unusableMethod(String)
    /// The base URL has no host, or a fragment.
    case unusableBase(URL, reason: String)
    /// The path template has a brace, a segment or a character that it cannot have.
    case unusableTemplate(String, reason: String)
    /// The template has a name that no value was given for.
    case missingValue(name: String, template: String)
    /// A value was given for a name that is not in the template.
    case unusedValue(name: String, template: String)
    /// A value for the path, the query or the form cannot be sent.
    case unusableValue(name: String, reason: String)
    /// The header's name or value would break the request apart. The value is not kept.
    case unusableHeader(name: String, reason: String)
    /// A request with this method has no body.
    case bodyNotAllowed(method: String)
    /// A part's name, file name or content type would break the multipart body apart.
    case unusablePart(name: String, reason: String)
    /// The multipart boundary occurs in a part, or has a form that no server takes.
    case unusableBoundary(String, reason: String)
    /// Foundation makes no URL, or another one, of the text that was put together.
    case unusableURL(String)

    /// What is wrong and what to change, with the secrets of a URL removed.
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

    /// In quotation marks, with line breaks and NUL made visible.
    private func quoted(_ text: String) -> String { text.debugDescription }
}
