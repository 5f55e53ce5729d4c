import Foundation

/// An error from a load, with the stage that failed, the original error, and the request and
/// response so far.
///
/// `print(error)` prints what failed and why, and the request as a curl command.
/// `error.localizedDescription` is one sentence for a user. Neither contains a credential.
///
///     do {
///         user = try await loader.load(42)
///     } catch where error.statusCode == 404 {
///         user = nil
///     } catch where error.isCancellation {
///         return
///     } catch {
///         message = error.localizedDescription
///     }
public struct APIRequestError: LocalizedError, CustomStringConvertible, Sendable {
    /// The stages of a load, in order.
    public enum Stage: Sendable, CaseIterable {
        /// `makeRequest(from:)` threw, and nothing was sent.
        case makeRequest
        /// No complete response arrived, or the load was cancelled.
        case transport
        /// `validateResponse(data:response:)` threw.
        case validate
        /// `parseResponse(data:response:)` or a stream's parser threw.
        case parse
    }

    /// The stage that failed.
    public let stage: Stage
    /// The request that `makeRequest(from:)` returned, or `nil` if it threw.
    public let request: URLRequest?
    /// The server's response, or `nil` if there was none.
    public let response: HTTPURLResponse?
    /// The response's body, or `nil` if there was none. For an accepted stream, the element that
    /// could not be decoded, or `nil`.
    public let data: Data?
    /// The original error: the error that your code threw, or a `URLError`.
    ///
    /// If the load failed because of another load, such as a credential's refresh, this is that
    /// load's original error, and the ``description`` shows that load's request and response.
    public var underlying: any Error { cause?.underlying ?? thrown }
    /// The error as it was thrown. An ``APIRequestError`` from a refresh is never retried.
    let thrown: any Error
    /// The error thrown by another load that this load was waiting for.
    var cause: APIRequestError? { thrown as? APIRequestError }
    /// The request's type, such as `UserRequest`, or `nil` if no load threw the error.
    public internal(set) var requestType: String?
    /// The secrets to hide in this error's messages, from ``APIRequest/redaction``.
    private(set) var redaction: Redaction
    /// A sentence from a policy or a download about what it did not do, and why.
    var hint: String?
    /// The rejected exchange's number in each observer's count.
    var exchangeIDs: [ObjectIdentifier: Int] = [:]
    private let wasCancelled: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - stage: The stage that failed.
    ///   - request: The request, if one was made.
    ///   - response: The response, if there was one.
    ///   - data: The response's body, if there was one.
    ///   - underlying: The original error.
    ///   - isCancellation: Whether the load was cancelled. Not needed if `underlying` is a
    ///     `CancellationError`.
    ///   - redaction: The secrets to hide in error texts.
    public init(
        stage: Stage, request: URLRequest? = nil, response: HTTPURLResponse? = nil,
        data: Data? = nil, underlying: any Error, isCancellation: Bool = false,
        redaction: Redaction = .standard
    ) {
        self.stage = stage
        self.request = request
        self.response = response
        self.data = data
        thrown = underlying
        self.redaction = redaction
        wasCancelled = isCancellation
    }

    /// Returns this error with messages that also hide what another redaction hides, and the values
    /// of its request's and response's secrets wherever they occur.
    func hiding(_ other: Redaction? = nil) -> APIRequestError {
        var error = self
        let redaction = other.map(redaction.union) ?? redaction
        error.redaction = redaction.hidingValues(of: request, response, data)
        return error
    }

    /// The response's status code, or `nil` if there was none.
    public var statusCode: Int? { response?.statusCode }

    /// The delay in the response's `Retry-After` header (RFC 9110, 10.2.3), or `nil` if there is
    /// none. A date in the header is measured from the response's `Date`, or else from now.
    public var retryAfter: Duration? { response?.retryAfter(now: Date()) }

    /// Whether the load was cancelled, so that you need not show an error.
    ///
    /// A `URLError.cancelled` alone does not count as a cancellation. For example, it is thrown
    /// when the app rejects a certificate.
    public var isCancellation: Bool { wasCancelled || underlying is CancellationError }

    /// Returns the decoded body of the response, for example a server's description of the error.
    /// `Data` is the body itself. If the type is optional, an empty body is nil.
    ///
    /// - Throws: `DecodingError` if the body cannot be decoded, or there is none.
    public func decodeBody<E: Decodable>(
        _ type: E.Type, using decoder: JSONDecoder = JSONDecoder()
    ) throws -> E {
        guard let data else { return try decoder.decode(type, from: Data()) }
        return try decoder.decode(type, fromBody: data)
    }

    /// A message for the user, without a URL, a body or a curl command.
    ///
    /// If your code throws a `LocalizedError`, this is that error's message with secrets redacted.
    /// This library's errors about building a request are for developers and do not appear here.
    public var errorDescription: String? {
        if isCancellation { return "The request was cancelled." }
        if let cause { return cause.hiding(redaction).errorDescription }
        if let status = underlying as? UnacceptableStatusError {
            return "The server answered \(HTTPStatus.describe(status.statusCode))."
        }
        if let error = URLError(from: underlying) { return error.sentence }
        if let ownSentence { return ownSentence }
        switch stage {
        case .makeRequest: return "The request could not be created."
        case .transport: return "The request failed."
        case .validate:
            guard let statusCode, !(200..<300).contains(statusCode) else {
                return "The server's answer was not accepted."
            }
            return "The server answered \(HTTPStatus.describe(statusCode))."
        case .parse: return "The server's answer could not be understood."
        }
    }

    /// The underlying error's message for users, redacted, or `nil` if there is none.
    private var ownSentence: String? {
        // On Apple platforms, coding errors are also `LocalizedError`s.
        if underlying is DecodingError || underlying is EncodingError
            || underlying is any DeveloperError
        {
            return nil
        }
        return (underlying as? any LocalizedError)?.errorDescription.map { text in
            hiding().redaction.excerpt(text, limit: 4_000, onOneLine: false, Redaction.prose)
        }
    }
}

extension APIRequestError: CustomReflectable, OpaquelyReflected {}
