import Foundation

extension APIRequestError {
    /// A message for a developer: what failed and why, in a few sentences, and the request, if
    /// there is one, as a curl command.
    ///
    /// Secrets are redacted as ``APIRequest/redaction`` describes. A request body over 10,000
    /// bytes, except a file, is replaced by its type and size.
    public var description: String {
        let error = hiding()
        return (error.sentences + [error.curl].compactMap(\.self)).joined(separator: "\n")
    }

    /// The curl command for the request that failed. There is only one command, even if the error
    /// was rethrown from another load.
    private var curl: String? {
        // If another load, such as a refresh, threw the error, show that load's request, if any.
        rethrown?.hiding(redaction).curl
            ?? request?.curlCommand(hiding: redaction, longestBody: 10_000)
    }

    /// The description without the curl command. Use this property only on an error from `hiding`.
    var sentences: [String] {
        let failedCredential = failedCall.map { "The \($0) of the credential failed." }
        let sentences = [headline, summary, failedCredential] + reason + [hint]
        return sentences.compactMap { $0?.withoutControls }
    }

    private var headline: String {
        let names = [requestType, request.map(redaction.line)].compactMap(\.self)
        let subject = names.isEmpty ? "The call" : names.joined(separator: ": ")
        if isCancellation { return "\(subject) was cancelled (stage .\(stage))." }
        // A server-sent event can be decoded without a load, so there may be no request.
        if stage == .parse, request == nil, response == nil, data != nil {
            return "The data could not be parsed (stage .parse)."
        }
        let event =
            switch stage {
            case .makeRequest: "failed before it was sent"
            case .transport: "got no complete response"
            case .validate: "got a response that was not accepted"
            case .parse: "got a response that could not be parsed"
            }
        return "\(subject) \(event) (stage .\(stage))."
    }

    private var summary: String? {
        guard let response else { return nil }
        let status = "The server responded with \(describe(status: response.statusCode))"
        guard let data, (underlying as? DecodingError)?.element == nil else { return status + "." }
        // Foundation drops the body of some responses, such as a 302 without `Location`.
        if data.isEmpty, response.expectedContentLength != 0 { return status + "." }
        if data.isEmptyBody { return status + " and an empty body." }
        let type = mediaType(contentType).map { redaction.excerpt($0) } ?? "no content type"
        let coding = compression(of: data).map { ", compressed with \($0)" } ?? ""
        return status + " and \(byteCount(data.count)), \(type)\(coding)."
    }

    private var contentType: String? { response?.value(forHTTPHeaderField: "Content-Type") }

    var reason: [String] {
        if let rethrown { return rethrown.hiding(redaction).sentences }
        switch underlying {
        case let error as any RedactingError:
            return [error.text(redacting: redaction), error.needsBody ? body : nil]
                .compactMap(\.self)
        case let error as DecodingError:
            return reason(error)
        case let status as UnacceptableStatusError where status.statusCode == statusCode:
            return [status.expectedStatus, body].compactMap(\.self)
        case is CancellationError:
            return []
        case EncodingError.invalidValue(_, let context):
            // The invalid value is not shown: it is part of the request and may hold a password.
            let text = redaction.excerpt(context.debugDescription, limit: 1_000)
            return ["At \(describe(context.codingPath)): \(text)"]
        default:
            let text = URLError(from: underlying).map { self.text(of: $0) }
            return [text ?? self.text(of: underlying), body].compactMap(\.self)
        }
    }

    /// The beginning of the body, or only its type and size.
    ///
    /// The text is nil if there is no body or an empty body, or if only the body's type and size
    /// can be shown and `summary` shows them.
    private var body: String? {
        guard let data, !data.isEmptyBody else { return nil }
        if let text = redaction.excerpt(of: data, contentType: contentType) {
            return "Body: " + text
        }
        guard response == nil else { return nil }
        return "Body: " + redaction.placeholder(for: data, contentType: contentType)
    }

    private func text(of error: URLError) -> String {
        // On Linux, the description is libcurl's message, if there is one.
        let detail = error.userInfo[NSLocalizedDescriptionKey] as? String
        let suffix =
            detail.map { ": " + redaction.excerpt($0, limit: 1_000, Redaction.prose) } ?? ""
        let remedy =
            switch error.code {
            case .cancelled where !isCancellation:
                """
                 No task was cancelled: look for invalidateAndCancel(), or for a delegate that \
                rejected the certificate.
                """
            case .appTransportSecurityRequiresSecureConnection:
                " Use https, or add an exception to NSAppTransportSecurity in the Info.plist."
            default: ""
            }
        return "\(error.sentence) (URLError \(error.code.rawValue)\(suffix))\(remedy)"
    }

    private func text(of error: any Error) -> String {
        // The cast goes through `Any`, because the compiler bridges every error to `NSError`, which
        // has a description.
        let anything: Any = error
        if let error = anything as? any UnredactedError {
            return error.description.excerpt(limit: 4_000, onOneLine: false)
        }
        let text =
            (anything as? any CustomStringConvertible)?.description
            ?? (error as? any LocalizedError)?.errorDescription
            ?? String(reflecting: error)
        return redaction.excerpt(text, limit: 4_000, onOneLine: false, Redaction.prose)
    }
}
