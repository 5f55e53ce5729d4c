import Foundation

/// An error from a load, with the stage that failed, the original error, and the request and
/// response so far.
///
/// `print(error)` prints what failed and why, and the request as a curl command.
/// `error.localizedDescription` is a message for the user. Both texts hide secrets: see
/// ``Redaction``.
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
        /// No complete response arrived, a file could not be written, or the load was cancelled.
        case transport
        /// `validateResponse(data:response:)` threw, or a download cannot use the status.
        case validate
        /// `parseResponse(data:response:)`, a stream's parser or an event's `decode` threw, or the
        /// link to the next page is malformed.
        case parse
    }

    /// The stage that failed.
    public let stage: Stage
    /// The request that the load made, or `nil` if there was none.
    public let request: URLRequest?
    /// The server's response, or `nil` if the load received none.
    public let response: HTTPURLResponse?
    /// The response's body, or `nil` if the load does not have all of it. For a refused stream or
    /// download, this is the beginning of the body. For an accepted stream, this is the element
    /// that could not be decoded, or the text of ``StreamError/unexpectedJSON(_:)``. If there was
    /// neither, this is `nil`.
    public let data: Data?
    /// The original error, such as a `URLError`, a `DecodingError` or an error that your code
    /// threw.
    ///
    /// If the load rethrew the error of another load, such as a credential's refresh, this is that
    /// load's original error, and the ``description`` shows that load's request and response.
    public var underlying: any Error { rethrown?.underlying ?? thrown }
    /// The error of another load that this load waited for, such as a credential's refresh, with
    /// that load's request, status and body. The cause is nil if no such load failed.
    ///
    ///     } catch where error.cause?.statusCode == 503 {
    ///         message = "Signing in is not possible at the moment."
    ///     }
    ///
    /// If your code threw its own error, this is the `APIRequestError` stored in that error, if
    /// any.
    public var cause: APIRequestError? { Self.stored(in: thrown, depth: 3) }
    /// The error as it was thrown. A ``RetryPolicy`` never retries a request because of another
    /// load's ``APIRequestError``.
    let thrown: any Error
    /// The error thrown by another load, if no other error wraps it.
    var rethrown: APIRequestError? { thrown as? APIRequestError }
    /// The request's type, such as `UserRequest`, or the `name` passed with a `URLRequest`, or nil
    /// if there is no type or name.
    public internal(set) var requestType: String?
    /// The secrets to hide in this error's messages, from ``APIRequest/redaction``.
    private(set) var redaction: Redaction
    /// A sentence with more about the failure, such as why the request was sent without a
    /// credential.
    var hint: String?
    /// The closure of `Credentials` that threw the error, or nil if no such closure threw.
    var failedCall: CredentialCall?
    private let wasCancelled: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - stage: The stage that failed.
    ///   - request: The request, if one was made.
    ///   - response: The response, if there was one.
    ///   - data: The response's body, if there was one.
    ///   - underlying: The original error.
    ///   - isCancellation: Whether the load was cancelled. You need not pass this if `underlying`
    ///     is a `CancellationError`.
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

    /// Returns the `APIRequestError` that a value is or contains within `depth` levels. Searches
    /// only the first 100 elements of a collection, because an app's error may hold a large body.
    private static func stored(in value: Any, depth: Int) -> APIRequestError? {
        if let error = value as? APIRequestError { return error }
        guard depth > 0 else { return nil }
        let inner = (value as? any Error).flatMap { ($0 as NSError).userInfo[NSUnderlyingErrorKey] }
        let values = Mirror(reflecting: value).children.prefix(100).map(\.value) + [inner as Any]
        return values.lazy.compactMap { stored(in: $0, depth: depth - 1) }.first
    }

    /// Returns this error with messages that also hide what another redaction, if any, hides. The
    /// messages hide the values of the request's and response's secrets in any text.
    func hiding(_ other: Redaction? = nil) -> APIRequestError {
        var error = self
        let redaction = other.map(redaction.union) ?? redaction
        error.redaction = redaction.hidingValues(of: request, response, data)
        return error
    }

    /// The response's status code, or `nil` if there was no response.
    public var statusCode: Int? { response?.statusCode }

    /// The delay in the response's `Retry-After` header (RFC 9110, 10.2.3), or `nil` if the header
    /// is missing or invalid. The delay until a date is measured from the response's `Date`, or
    /// else from now.
    public var retryAfter: Duration? { response?.retryAfter(now: Date()) }

    /// Whether the load was cancelled. If it was cancelled, you need not show an error.
    ///
    /// A `URLError.cancelled` alone does not count as a cancellation. For example, a session throws
    /// that error when the app rejects a certificate.
    public var isCancellation: Bool { wasCancelled || underlying is CancellationError }

    /// Returns the decoded body of the response, for example a server's description of the error.
    /// If the type is `Data`, returns the body itself. If the type is optional, an empty body is
    /// decoded as nil.
    ///
    /// - Throws: `DecodingError`, or the type's own error, if the body is missing or cannot be
    ///   decoded.
    public func decodeBody<E: Decodable>(
        _ type: E.Type, using decoder: JSONDecoder = JSONDecoder()
    ) throws -> E {
        guard let data else { return try decoder.decode(type, from: Data()) }
        return try decoder.decode(type, fromBody: data)
    }

    /// A message for the user, without a URL, a body or a curl command.
    ///
    /// If your code throws a `LocalizedError`, this is that error's message with secrets redacted.
    public var errorDescription: String? {
        if isCancellation { return "The request was cancelled." }
        if let rethrown { return rethrown.hiding(redaction).errorDescription }
        if let error = URLError(from: underlying) { return error.sentence }
        if let ownSentence { return ownSentence }
        switch stage {
        case .makeRequest: return "The request could not be created."
        case .transport: return failedCall?.rawValue ?? "The request failed."
        case .validate:
            guard let statusCode, !(200..<300).contains(statusCode) else {
                return "The server's response was not accepted."
            }
            return "The server responded with \(describe(status: statusCode))."
        case .parse: return "The server's response could not be understood."
        }
    }

    /// The underlying error's message for users, redacted, or `nil` if there is none.
    private var ownSentence: String? {
        // On Apple platforms, decoding and encoding errors are also `LocalizedError`s.
        if underlying is DecodingError || underlying is EncodingError { return nil }
        return (underlying as? any LocalizedError)?.errorDescription.map { text in
            hiding().redaction.excerpt(text, limit: 4_000, onOneLine: false, Redaction.prose)
        }
    }
}

/// A closure of `Credentials` that a request waits for, with a sentence for the user if the closure
/// fails.
enum CredentialCall: String {
    case load = "The sign-in could not be read."
    case refresh = "The sign-in failed."
    case save = "The sign-in could not be saved."
}

extension APIRequestError: CustomReflectable, OpaquelyReflected {}
