import Foundation

extension APIRequestError {
    /// What failed and why, for a developer: a few sentences, then the curl command.
    ///
    /// The names in ``Redaction/standard`` are not shown, wherever they occur.
    public var description: String {
        (sentences + [curl].compactMap(\.self)).joined(separator: "\n")
    }

    /// One curl command, however often the error was wrapped.
    private var curl: String? {
        request?.curlCommand() ?? (underlying as? APIRequestError)?.curl
    }

    private var redaction: Redaction { .standard }

    private var sentences: [String] {
        [headline, answer].compactMap(\.self) + reason
    }

    private var headline: String {
        let subject =
            request.map { request in
                let url = redaction.url(request.url?.absoluteString ?? "(no URL)")
                return (request.httpMethod ?? "GET") + " " + url
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
        let status = "The server answered \(describeStatus(response.statusCode))"
        guard let data, !data.isEmpty else { return status + " with an empty body." }
        let type = mediaType(contentType).map { redaction.text($0) } ?? "no content type"
        return status + " with \(byteCount(data.count)), \(type)."
    }

    private var contentType: String? { response?.value(forHTTPHeaderField: "Content-Type") }

    private var reason: [String] {
        switch underlying {
        case let error as APIRequestError:
            return error.sentences
        case let error as DecodingError:
            return reason(error)
        case let status as UnacceptableStatus where status.statusCode == statusCode:
            return [status.acceptable.map { "A status in \($0) was expected." }, body]
                .compactMap(\.self)
        case let error as URLError:
            return [error.sentence + " (URLError \(error.code.rawValue))", body].compactMap(\.self)
        case is CancellationError:
            return []
        case EncodingError.invalidValue(_, let context):
            // Not the value: it is what was about to be sent, password and all.
            let text = redaction.text(context.debugDescription)
            return ["At \(describe(context.codingPath)): \(text)"]
        default:
            return [text(of: underlying), body].compactMap(\.self)
        }
    }

    private func reason(_ error: DecodingError) -> [String] {
        guard let data else { return [redaction.text(error.localizedDescription)] }
        do throws(JSONText.Failure) {
            let json = try JSONText(data)
            let reason = DecodingReason(error, in: json, redaction: redaction)
            let excerpt = Excerpt(json, focus: reason.focus, redaction: redaction)
            return [reason.sentence, "Body: " + excerpt.text()]
        } catch {
            let announced = response?.expectedContentLength ?? -1
            let reason = DecodingReason(
                error, body: data, contentType: contentType, announced: announced)
            return [reason.sentence]
        }
    }

    /// The beginning of the body, or what it is; nil if there is none.
    private var body: String? {
        guard let data, !data.isEmpty else { return nil }
        if let text = redaction.body(data, contentType: contentType) {
            return "Body: " + Excerpt(text).text()
        }
        return "Body: " + redaction.placeholder(for: data, contentType: contentType)
    }

    private func text(of error: any Error) -> String {
        let text =
            (error as Any as? any CustomStringConvertible)?.description
            ?? (error as? any LocalizedError)?.errorDescription
            ?? String(reflecting: error)
        return Excerpt(redaction.text(text)).text(limit: 600)
    }
}
