import APIKitLite
import Foundation

/// What a stub answers with.
public struct MockResponse: Sendable {
    enum Behavior: Sendable {
        case complete
        /// Neither a response nor an error.
        case never
        /// An error instead of a response.
        case failure(any Error)
        /// An error within the body.
        case cut(afterBytes: Int, any Error)
        /// The end of the connection within the headers.
        case cutHead(afterBytes: Int)
        /// The answer of a real session.
        case passed(to: any HTTPSession)
    }

    var status = 200
    var headers: [String: String] = [:]
    private var namesLength = false
    var chunks: [Data] = []
    var behavior = Behavior.complete
    /// Before the first byte, and before each piece but the first.
    var delay = Duration.zero
    var interval = Duration.zero
    var isHeld = false
    var acceptsRanges = false
    /// What is wrong with the response, for the place that stubs it.
    var configurationError: String?

    /// JSON text, sent as it is written.
    public static func json(_ text: String, status: Int = 200) -> MockResponse {
        var response = data(Data(text.utf8), contentType: "application/json").status(status)
        do {
            _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        } catch {
            response.configurationError =
                ".json(_:) was given text that is not JSON: \(text.prefix(200))"
        }
        return response
    }

    /// A value as JSON, encoded at once; keys are sorted unless the encoder says otherwise.
    public static func json(
        encoding value: some Encodable, status: Int = 200, encoder: JSONEncoder? = nil
    ) -> MockResponse {
        let sorted = JSONEncoder()
        sorted.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return data(try (encoder ?? sorted).encode(value), contentType: "application/json")
                .status(status)
        } catch {
            var response = MockResponse().status(status)
            response.configurationError =
                ".json(encoding:) could not encode \(type(of: value)): \(error)"
            return response
        }
    }

    /// Plain text in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> MockResponse {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8").status(status)
    }

    /// Bytes.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", status: Int = 200
    ) -> MockResponse {
        var response = MockResponse()
        response.chunks = [data]
        return response.header("Content-Type", contentType).status(status)
    }

    /// A status without a body.
    public static func status(_ status: Int) -> MockResponse {
        MockResponse().status(status)
    }

    /// A transport error instead of an answer.
    public static func error(_ code: URLError.Code) -> MockResponse {
        var response = MockResponse()
        response.behavior = .failure(URLError(code))
        return response
    }

    /// A redirect, followed as over a real network.
    public static func redirect(to location: String, status: Int = 302) -> MockResponse {
        MockResponse().status(status).header("Location", location)
    }

    /// No answer, until the client cancels.
    public static var hanging: MockResponse {
        var response = MockResponse()
        response.behavior = .never
        return response
    }

    /// Returns the response with a header, in place of any value that it had. Only `Set-Cookie`, of
    /// which a response has one for each cookie, is added.
    ///
    /// A `Content-Length` is replaced by the true one, except where no body is sent.
    public func header(_ name: String, _ value: String) -> MockResponse {
        if name.lowercased() == "set-cookie" { return addingHeader(name, value) }
        var response = self
        response.namesLength = namesLength || name.lowercased() == "content-length"
        response.headers[key(of: name)] = value
        return response
    }

    /// Returns the response with a further value of a header, after a comma (RFC 9110, section 5.3).
    public func addingHeader(_ name: String, _ value: String) -> MockResponse {
        var response = self
        let key = key(of: name)
        response.headers[key] = headers[key].map { "\($0), \(value)" } ?? value
        return response
    }

    /// The name under which the response has a header, in whichever case.
    private func key(of name: String) -> String {
        headers.keys.first { $0.lowercased() == name.lowercased() } ?? name
    }

    private func status(_ status: Int) -> MockResponse {
        var response = self
        response.status = status
        if !(100...599).contains(status) {
            response.configurationError = "\(status) is not an HTTP status: use 100...599."
        }
        return response
    }
}

extension MockResponse {
    /// The answer as a server would give it to this request.
    ///
    /// - Parameter missing: How many bytes more it announces than it has.
    func answer(to request: URLRequest, missing: Int = 0) -> Answer {
        let hasBody = hasBody(for: request)
        var fields = headers
        if let length = contentLength(for: request, missing: missing) {
            fields = fields.filter { $0.key.lowercased() != "content-length" }
            fields["Content-Length"] = length
        } else if status == 204 || status < 200 {
            fields = fields.filter { $0.key.lowercased() != "content-length" }
        }
        return Answer(
            response: HTTPURLResponse(
                url: request.url ?? .unnamed, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: fields)!,
            chunks: hasBody ? chunks : [], missing: missing)
    }

    /// The true length of the body, for a HEAD that of a GET; nil where none is filled in.
    private func contentLength(for request: URLRequest, missing: Int) -> String? {
        guard status > 199, status != 204, status != 304, chunks.count < 2 || namesLength else {
            return nil
        }
        let length = chunks.reduce(missing) { $0 + $1.count }
        // It stands for a resource whose body the test does not write down.
        if request.httpMethod == "HEAD" && length == 0 && namesLength { return nil }
        return String(length)
    }

    /// Whether an answer to this request has a body, if only an empty one (RFC 9112, 6.3).
    func hasBody(for request: URLRequest) -> Bool {
        request.httpMethod != "HEAD" && status != 204 && status != 304 && status > 199
    }
}
