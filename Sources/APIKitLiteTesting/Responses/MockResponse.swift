import APIKitLite
import Foundation

/// A response that a stub sends.
///
/// An invalid argument, such as text for `.json(_:)` that is not JSON, is a *configuration error*:
/// each request that would receive the response fails, and `verify()` reports the error.
public struct MockResponse: Sendable {
    /// How the response ends.
    enum Ending: Sendable {
        case end
        /// An error, after this many bytes of the body; nil for an error instead of a response.
        case failure(any Error, afterBytes: Int?)
        /// Nothing more, after this many bytes of the body; nil for no response at all.
        case silence(afterBytes: Int?)
    }

    /// The code that sends the pieces of a body.
    enum Source: Sendable {
        /// A closure, which runs at most once for each request.
        case writer(@Sendable (StreamWriter) async throws -> Void)
        /// The test, which sends the pieces with the stub's `send`.
        case test
    }

    /// The real session that responds; nil if the mock responds.
    var session: (any HTTPSession)?
    /// The time before the response begins.
    var delay = Duration.zero
    /// Whether the response first waits until the test releases the stub.
    var isHeld = false
    var status = 200
    /// The headers that the test or a recording specifies.
    var fields: HTTPFields = [:]
    /// The URL of the response, if it differs from the URL of the request.
    var url: URL?
    /// Whether the headers come from a recorded response whose body was decoded.
    var isDecoded = false
    /// Whether to omit the `Content-Length` even if the whole body is known.
    var isOpenEnded = false
    /// The nonempty pieces of the body, in order.
    var pieces: [Data] = []
    /// The time before each piece. If there are several times, the last applies to all further
    /// pieces. If there is one, or none, further pieces have no delay.
    var gaps: [Duration] = []
    /// The code that sends what follows `pieces` in the body; nil if `pieces` is the whole body.
    var source: Source?
    var ending = Ending.end
    /// Whether a `GET` with a `Range` header receives only that range of the body.
    var acceptsRanges = false
    /// What is wrong with the response, as errors report it; nil if the response is valid.
    var configurationError: String?

    var body: Data { pieces.joined }

    /// Returns the response with a property set to a value.
    func with<Value>(
        _ property: WritableKeyPath<MockResponse, Value>, _ value: Value
    ) -> MockResponse {
        var response = self
        response[keyPath: property] = value
        return response
    }

    /// Returns a response with JSON text, sent unchanged.
    ///
    /// - Parameters:
    ///   - text: The JSON text. Text that is not JSON is a configuration error.
    ///   - status: The status of the response, in `100...599`.
    ///   - headers: More headers, or a different `Content-Type`. A name may occur several times.
    public static func json(
        _ text: String, status: Int = 200, headers: KeyValuePairs<String, String> = [:]
    ) -> MockResponse {
        let response = data(
            Data(text.utf8), contentType: "application/json", status: status, headers: headers)
        if (try? JSONText.read(Data(text.utf8))) != nil { return response }
        return response.wrong(
            text.isEmpty
                ? ".json(_:) was given an empty text. For an empty body, use .status(\(status))."
                : ".json(_:) was given text that is not JSON: \(text.prefix(200))\n"
                    + "To send it as it is, use .text(_:).")
    }

    /// Returns a response with a value encoded as JSON.
    ///
    /// - Parameters:
    ///   - value: The value, which is encoded immediately. A `Data` value is sent unchanged. A
    ///     value that cannot be encoded is a configuration error.
    ///   - status: The status of the response, in `100...599`.
    ///   - headers: More headers, or a different `Content-Type`. A name may occur several times.
    ///   - encoder: The encoder; by default, an encoder that sorts the keys and does not escape
    ///     slashes.
    public static func json(
        encoding value: some Encodable, status: Int = 200,
        headers: KeyValuePairs<String, String> = [:], encoder: JSONEncoder? = nil
    ) -> MockResponse {
        do {
            return data(
                try encodedBody(of: value, encoder), contentType: "application/json",
                status: status, headers: headers)
        } catch {
            return .status(status, headers: headers)
                .wrong(".json(encoding:) could not encode \(type(of: value)): \(error)")
        }
    }

    /// Returns a response with plain text in UTF-8.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - status: The status of the response, in `100...599`.
    ///   - headers: More headers, or a different `Content-Type`. A name may occur several times.
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
    ///   - headers: More headers, or a different `Content-Type`. A name may occur several times.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", status: Int = 200,
        headers: KeyValuePairs<String, String> = [:]
    ) -> MockResponse {
        MockResponse().with(\.pieces, [data].withoutEmpty)
            .header("Content-Type", contentType).headers(headers).status(status)
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

    /// Makes the request fail with a transport error.
    ///
    /// - Parameter code: The code of the `URLError`.
    public static func error(_ code: URLError.Code) -> MockResponse {
        error(URLError(code))
    }

    /// Makes the request fail with an error of any type.
    ///
    /// Over a socket, the server closes the connection for a `URLError`. For any other error, the
    /// server responds with status 500 and the error message as the body, because a server cannot
    /// send a Swift error.
    ///
    /// - Parameter error: The error. This library receives it unchanged, except over a socket. On
    ///   Apple platforms, Foundation's own calls throw an `NSError` instead.
    public static func error(_ error: any Error) -> MockResponse {
        MockResponse().with(\.ending, .failure(error, afterBytes: nil))
    }

    /// Returns a redirect, which the client follows as over a real network.
    ///
    /// - Parameters:
    ///   - location: The value of the `Location` header: an absolute or relative URL.
    ///   - status: The status of the response, such as 302 or 307 (RFC 9110, section 15.4).
    public static func redirect(to location: String, status: Int = 302) -> MockResponse {
        MockResponse().status(status).header("Location", location)
    }

    /// A response that never arrives.
    ///
    /// The request ends when the client cancels it or, on a network with a clock, when it times
    /// out.
    public static var hanging: MockResponse {
        MockResponse().with(\.ending, .silence(afterBytes: nil))
    }

    /// Returns the response with another status.
    func status(_ status: Int) -> MockResponse {
        let response = with(\.status, status)
        if (100...599).contains(status) { return response }
        return response.wrong("\(status) is not an HTTP status: use 100...599.")
    }
}
