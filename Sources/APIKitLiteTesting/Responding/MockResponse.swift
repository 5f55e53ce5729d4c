import APIKitLite
import Foundation

/// A response that a stub gives.
public struct MockResponse: Sendable {
    /// How the response is given.
    enum Behavior: Sendable {
        /// A response with its whole body.
        case complete
        /// Neither a response nor an error.
        case never
        /// An error instead of a response.
        case failure(any Error)
        /// An error after so many bytes of the body.
        case cut(afterBytes: Int, any Error)
        /// The end of the connection after so many bytes of the headers.
        case cutHead(afterBytes: Int)
        /// A response whose body has no end.
        case open
        /// A response whose body is sent piece by piece.
        case stream(ResponseStream.Source)
        /// The answer of a real session.
        case passed(to: any HTTPSession)
    }

    var status = 200
    var headers: [String: String] = [:]
    /// Whether a header names the length.
    var namesLength = false
    var chunks: [Data] = []
    var behavior = Behavior.complete
    /// The time before the first byte.
    var delay = Duration.zero
    /// The time before each piece but the first.
    var interval = Duration.zero
    /// The times between the pieces, if they are not all the same.
    var pace: Pace?
    var isHeld = false
    var isBodyHeld = false
    var acceptsRanges = false
    /// The URL of the response, if it is not that of the request.
    var url: URL?
    /// Whether the body is decoded although `Content-Encoding` is named.
    var isDecoded = false
    /// Changes the response for a request; nil if it is the same for all.
    var adapting: (@Sendable (MockResponse, URLRequest) -> MockResponse)?
    /// What is wrong with the response; nil if it is valid. Its stub reports it.
    var configurationError: String?

    /// Returns a response with JSON text, sent as it is written.
    ///
    /// - Parameters:
    ///   - text: The JSON text. Text that is not JSON is a configuration error.
    ///   - status: The status of the response, in `100...599`.
    ///   - headers: More headers, such as another `Content-Type`. A name may occur several times.
    public static func json(
        _ text: String, status: Int = 200, headers: KeyValuePairs<String, String> = [:]
    ) -> MockResponse {
        var response = data(
            Data(text.utf8), contentType: "application/json", status: status, headers: headers)
        do {
            _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        } catch {
            response.configurationError =
                text.isEmpty
                ? ".json(_:) was given an empty text. For an empty body, use .status(\(status))."
                : ".json(_:) was given text that is not JSON: \(text.prefix(200))"
        }
        return response
    }

    /// Returns a response with a JSON object or array that is written as a literal.
    ///
    /// The keys are sorted: `.json(["id": 42, "tags": ["new"]])`.
    ///
    /// - Parameters:
    ///   - literal: The object or array.
    ///   - status: The status of the response, in `100...599`.
    ///   - headers: More headers, such as another `Content-Type`. A name may occur several times.
    public static func json(
        _ literal: JSONLiteral, status: Int = 200, headers: KeyValuePairs<String, String> = [:]
    ) -> MockResponse {
        json(literal.text, status: status, headers: headers)
    }

    /// Returns a response with a value as JSON.
    ///
    /// - Parameters:
    ///   - value: The value, which is encoded immediately. If it cannot be encoded, that is a
    ///     configuration error.
    ///   - status: The status of the response, in `100...599`.
    ///   - headers: More headers, such as another `Content-Type`. A name may occur several times.
    ///   - encoder: The encoder; by default, one that sorts the keys and does not escape slashes.
    public static func json(
        encoding value: some Encodable, status: Int = 200,
        headers: KeyValuePairs<String, String> = [:], encoder: JSONEncoder? = nil
    ) -> MockResponse {
        let sorted = JSONEncoder()
        sorted.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return data(
                try (encoder ?? sorted).encode(value), contentType: "application/json",
                status: status, headers: headers)
        } catch {
            var response = MockResponse.status(status, headers: headers)
            response.configurationError =
                ".json(encoding:) could not encode \(type(of: value)): \(error)"
            return response
        }
    }

    /// Returns a response with plain text in UTF-8.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - status: The status of the response, in `100...599`.
    ///   - headers: More headers, such as another `Content-Type`. A name may occur several times.
    public static func text(
        _ text: String, status: Int = 200, headers: KeyValuePairs<String, String> = [:]
    ) -> MockResponse {
        data(
            Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status,
            headers: headers)
    }

    /// Returns a response with bytes.
    ///
    /// - Parameters:
    ///   - data: The body.
    ///   - contentType: The `Content-Type` of the body.
    ///   - status: The status of the response, in `100...599`.
    ///   - headers: More headers, such as another `Content-Type`. A name may occur several times.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", status: Int = 200,
        headers: KeyValuePairs<String, String> = [:]
    ) -> MockResponse {
        var response = MockResponse()
        response.chunks = [data]
        return response.header("Content-Type", contentType).headers(headers).status(status)
    }

    /// Returns a response with a status and no body.
    ///
    /// - Parameters:
    ///   - status: The status, in `100...599`. Any other number is a configuration error.
    ///   - headers: The headers. A name may occur several times.
    public static func status(
        _ status: Int, headers: KeyValuePairs<String, String> = [:]
    ) -> MockResponse {
        MockResponse().headers(headers).status(status)
    }

    /// Returns a transport error instead of a response.
    ///
    /// - Parameter code: The code of the `URLError`.
    public static func error(_ code: URLError.Code) -> MockResponse {
        error(URLError(code))
    }

    /// Returns any error instead of a response.
    ///
    /// Over a socket, a `URLError` closes the connection. Any other error arrives as the status 500
    /// with its text, because a server cannot send an error.
    ///
    /// - Parameter error: The error, which the client receives unchanged.
    public static func error(_ error: any Error) -> MockResponse {
        var response = MockResponse()
        response.behavior = .failure(error)
        return response
    }

    /// Returns a redirect, which the client follows as over a real network.
    ///
    /// - Parameters:
    ///   - location: The value of the `Location` header: a URL, or one relative to the request's.
    ///   - status: The status of the response, such as 302 or 307 (RFC 9110, section 15.4).
    public static func redirect(to location: String, status: Int = 302) -> MockResponse {
        MockResponse().status(status).header("Location", location)
    }

    /// No answer.
    ///
    /// The request ends when the client cancels it or, on a network with a clock, when it times
    /// out.
    public static var hanging: MockResponse {
        var response = MockResponse()
        response.behavior = .never
        return response
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
    /// Returns the answer that a server would give to a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - missing: How many bytes the announced length exceeds the body by.
    func answer(to request: URLRequest, missing: Int = 0) -> Answer {
        let hasBody = hasBody(for: request)
        var fields = headers
        if let length = contentLength(for: request, missing: missing) {
            fields = fields.filter { $0.key.lowercased() != "content-length" }
            fields["Content-Length"] = length
        } else if status == 204 || status < 200 || isStream {
            fields = fields.filter { $0.key.lowercased() != "content-length" }
        }
        return Answer(
            response: HTTPURLResponse(
                url: url ?? request.url ?? .unnamed, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: fields)!,
            chunks: hasBody ? chunks : [], missing: missing, isDecoded: isDecoded,
            isStreamed: hasBody && isStream)
    }

    /// Whether the body is sent piece by piece.
    var isStream: Bool { if case .stream = behavior { true } else { false } }

    /// Returns the true length of the body, for a `HEAD` that of a `GET`; nil if none is filled in.
    private func contentLength(for request: URLRequest, missing: Int) -> String? {
        // A recorded answer without a length was sent without one.
        guard status > 199, status != 204, status != 304,
            namesLength || chunks.count < 2 && !isDecoded,
            !isStream
        else { return nil }
        let length = chunks.reduce(missing) { $0 + $1.count }
        // The test names the length of a body that it does not write down, so that length is kept.
        if request.httpMethod == "HEAD" && length == 0 && namesLength { return nil }
        return String(length)
    }

    /// Whether the answer to a request has a body, even an empty one (RFC 9112, section 6.3).
    func hasBody(for request: URLRequest) -> Bool {
        request.httpMethod != "HEAD" && status != 204 && status != 304 && status > 199
    }
}
