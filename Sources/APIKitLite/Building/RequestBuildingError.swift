import Foundation

/// An error that says why a request cannot be built, and what to change.
public enum RequestBuildingError: DescribedError, Equatable, Sendable {
    /// The method is not one word (a token of RFC 9110, section 5.6.2).
    case unusableMethod(String)
    /// The base URL has no host, a fragment, or a scheme other than `https` and `http`.
    case unusableBase(URL, reason: String)
    /// The path template has a brace, a segment or a character that is not allowed.
    case unusableTemplate(String, reason: String)
    /// The template has a name without a value.
    case missingValue(name: String, template: String)
    /// A value was given for a name that is not in the template.
    case unusedValue(name: String, template: String)
    /// A value for the path, the query, the form or a header cannot be sent.
    case unusableValue(name: String, reason: String)
    /// The header's name is not one word, or its value is not allowed. The error omits the value.
    case unusableHeader(name: String, reason: String)
    /// A body was given, but a request with this method has none.
    case bodyNotAllowed(method: String)
    /// A body was given, but the request has one. The texts are the sizes and types of both.
    case secondBody(first: String, second: String)
    /// A part's name, file name or content type contains a line break or NUL.
    case unusablePart(name: String, reason: String)
    /// The multipart boundary occurs in a part, or is not allowed by RFC 2046, section 5.1.1.
    case unusableBoundary(String, reason: String)
    /// Foundation makes no URL of the composed text, or a different one. If a request has no URL,
    /// the text is empty.
    case unusableURL(String)
    /// The timeout is not longer than zero.
    case unusableTimeout(Duration)

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
                + (PathTemplate.hint(for: template) ?? "Remove the value, or send it with `query:`.")
        case .unusableValue(let name, let reason):
            "The value for \(quoted(name)) \(reason)"
        case .unusableHeader(let name, let reason):
            "The header \(quoted(name)) \(reason)"
        case .bodyNotAllowed(let method):
            "A \(method) request has no body. Use another method, such as POST, or a query."
        case .secondBody(let first, let second):
            "The request already has a body (\(first)), but another was given (\(second)). "
                + "Remove one, or set `httpBody` to nil first."
        case .unusablePart(let name, let reason):
            "The multipart part \(quoted(name)) \(reason)"
        case .unusableBoundary(let boundary, let reason):
            "The multipart boundary \(quoted(boundary)) \(reason)"
        case .unusableURL(let text):
            "\(quoted(Redaction.standard.url(text))) is not a URL that Foundation keeps as it is. "
                + "Check the scheme and the host of the base."
        case .unusableTimeout(let duration):
            "The timeout \(duration) is not longer than zero. Give a longer one."
        }
    }

    /// Returns the text in quotation marks, with line breaks and NUL escaped.
    private func quoted(_ text: String) -> String { text.debugDescription }
}

extension RequestBuildingError: DeveloperError {}
