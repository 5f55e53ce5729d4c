import Foundation

extension APIRequestError {
    /// What failed and why, for a developer: a few sentences, then the curl command.
    ///
    /// What goes by a name in ``Redaction/standard`` is not shown, wherever it occurs, and a
    /// request body over 10,000 bytes is shown as its type and size.
    public var description: String {
        (sentences + [curl].compactMap(\.self)).joined(separator: "\n")
    }

    /// One curl command, however often the error was wrapped.
    private var curl: String? {
        // What failed is the refresh: that is the command to try.
        if let error = underlying as? any CausedByRequest { return error.underlying.curl }
        return request?.curlCommand(redacting: redaction, longestBody: 10_000)
            ?? (underlying as? APIRequestError)?.curl
    }

    private var redaction: Redaction { .standard }

    /// The description without the curl command: see ``description``.
    var sentences: [String] {
        [headline, answer].compactMap(\.self) + reason
    }

    private var headline: String {
        let subject =
            request.map { request in
                let url = Excerpt(
                    url: request.url?.absoluteString ?? "(no URL)", with: redaction, limit: 2_000)
                return (request.httpMethod ?? "GET") + " " + url.text(limit: 2_000)
            } ?? "The call"
        if isCancellation { return "\(subject) was cancelled (stage .\(stage))." }
        let event =
            switch stage {
            case .makeRequest: "failed before it was sent"
            case .transport: "failed on the way"
            case .validate: "got an answer that was not accepted"
            case .parse: "got an answer that could not be parsed"
            }
        return "\(subject) \(event) (stage .\(stage))."
    }

    private var answer: String? {
        guard let response else { return nil }
        let status = "The server answered \(HTTPStatus.describe(response.statusCode))"
        guard let data else { return status + "." }
        if data.isEmpty { return status + " with an empty body." }
        let type = mediaType(contentType).map { redaction.text($0) } ?? "no content type"
        return status + " with \(byteCount(data.count)), \(type)."
    }

    private var contentType: String? { response?.value(forHTTPHeaderField: "Content-Type") }

    var reason: [String] {
        switch underlying {
        case let error as APIRequestError:
            return error.sentences
        case let error as any CausedByRequest:
            return [error.summary] + error.underlying.sentences
        case let error as DecodingError:
            return reason(error)
        case let status as UnacceptableStatus where status.statusCode == statusCode:
            return [status.acceptable.map { "A status in \($0) was expected." }, body]
                .compactMap(\.self)
        case is CancellationError:
            return []
        case EncodingError.invalidValue(_, let context):
            // Not the value: it is what was about to be sent, password and all.
            let text = redaction.text(context.debugDescription)
            return ["At \(describe(context.codingPath)): \(text)"]
        default:
            let text = URLError(from: underlying).map { self.text(of: $0) }
            return [text ?? self.text(of: underlying), body].compactMap(\.self)
        }
    }

    private func reason(_ error: DecodingError) -> [String] {
        switch Result(catching: { () throws(JSONText.Failure) in try JSONText(data ?? Data()) }) {
        case .success(let json):
            let reason = DecodingReason(error, in: json, redaction: redaction)
            let excerpt = Excerpt(json, reason.found, redaction, 200)
            return [reason.sentence, "Body: " + excerpt.text()]
        case .failure(let failure):
            // Only a decoder that could not read the body at all blames its root.
            guard let data, case .dataCorrupted(let context) = error, context.codingPath.isEmpty
            else {
                return [DecodingReason(error, redaction: redaction).sentence, body]
                    .compactMap(\.self)
            }
            let announced = response?.expectedContentLength ?? -1
            let reason = DecodingReason(
                failure, body: data, contentType: contentType, announced: announced)
            return [reason.sentence]
        }
    }

    /// The beginning of the body; nil if there is none, or if it cannot be shown and its type and
    /// size have been told.
    private var body: String? {
        guard let data, !data.isEmpty else { return nil }
        if let excerpt = Excerpt(
            body: data, contentType: contentType, redaction: redaction, limit: 200)
        {
            return "Body: " + excerpt.text()
        }
        guard response == nil else { return nil }
        return "Body: " + redaction.placeholder(for: data, contentType: contentType)
    }

    private func text(of error: URLError) -> String {
        // On Linux this is what curl said, where it said something.
        let detail = error.userInfo[NSLocalizedDescriptionKey] as? String
        let suffix = detail.map { ": " + redaction.text($0) } ?? ""
        return "\(error.sentence) (URLError \(error.code.rawValue)\(suffix))"
    }

    private func text(of error: any Error) -> String {
        // A detour, since the compiler takes any error for an `NSError`, which has a description.
        let anything: Any = error
        if let error = anything as? any RedactedError {
            return Excerpt(error.description, onOneLine: false).text(limit: 4_000)
        }
        let text =
            (anything as? any CustomStringConvertible)?.description
            ?? (error as? any LocalizedError)?.errorDescription
            ?? String(reflecting: error)
        return Excerpt(redacting: text, with: redaction, limit: 4_000, onOneLine: false)
            .text(limit: 4_000)
    }
}
