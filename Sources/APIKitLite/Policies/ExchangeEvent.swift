import Foundation

/// An event that an ``ExchangeObserver`` reports: the start or end of an exchange, the headers and
/// the end of a stream, or a response that a load rejected.
///
/// Events are `Equatable`, so a test can compare arrays:
///
///     #expect(
///         events == [
///             .started(id: 1, request),
///             .answered(id: 1, request, status: 200, bytes: 15, after: .milliseconds(30)),
///         ])
///
/// The last values of a case may be left out so, and the comparison ignores them: the `type` of the
/// request that was loaded, and the `response`.
public enum ExchangeEvent: Sendable {
    /// The exchange is about to start.
    ///
    /// `id` is its number: an observer counts its exchanges from 1.
    case started(id: Int, URLRequest, type: String? = nil)
    /// A complete response with any status arrived.
    ///
    /// `bytes` is the size of the body, `after` the time since the start of the exchange.
    case answered(
        id: Int, URLRequest, status: Int, bytes: Int, after: Duration, type: String? = nil,
        response: HTTPURLResponse? = nil)
    /// The exchange threw an error, or was cancelled.
    ///
    /// `after` is the time since the start of the exchange.
    case failed(id: Int, URLRequest, any Error, after: Duration, type: String? = nil)
    /// The headers of a stream arrived, with any status. Its ``closed(id:_:bytes:_:after:type:)``
    /// follows.
    ///
    /// `after` is the time since the start of the exchange.
    case opened(
        id: Int, URLRequest, status: Int, after: Duration, type: String? = nil,
        response: HTTPURLResponse? = nil)
    /// The body of a stream ended, for the given reason.
    ///
    /// `bytes` is the number of bytes that were read, `after` the time since the start of the
    /// exchange.
    case closed(
        id: Int, URLRequest, bytes: Int, StreamEnding, after: Duration, type: String? = nil)
    /// The exchange succeeded, but the load threw while it validated the response (stage
    /// ``APIRequestError/Stage/validate``) or parsed it (``APIRequestError/Stage/parse``).
    case rejected(APIRequestError)

    /// The request of the exchange. It is `nil` only if the error of a ``rejected(_:)`` event has
    /// no request.
    ///
    /// `event.request?.curlCommand()` returns a shell command that sends it again.
    public var request: URLRequest? {
        switch self {
        case .started(_, let request, _), .answered(_, let request, _, _, _, _, _),
            .failed(_, let request, _, _, _), .opened(_, let request, _, _, _, _),
            .closed(_, let request, _, _, _, _):
            request
        case .rejected(let error): error.request
        }
    }

    /// The type of the request that is loaded, such as `UserRequest`: the route, for a metric. It is
    /// `nil` for a plain `URLRequest`.
    public var requestType: String? {
        switch self {
        case .started(_, _, let type), .answered(_, _, _, _, _, let type, _),
            .failed(_, _, _, _, let type), .opened(_, _, _, _, let type, _),
            .closed(_, _, _, _, _, let type):
            type
        case .rejected(let error): error.requestType
        }
    }

    /// The status and headers of the response. It is `nil` unless the event is
    /// ``answered(id:_:status:bytes:after:type:response:)``,
    /// ``opened(id:_:status:after:type:response:)`` or ``rejected(_:)``.
    public var response: HTTPURLResponse? {
        switch self {
        case .answered(_, _, _, _, _, _, let response), .opened(_, _, _, _, _, let response):
            response
        case .rejected(let error): error.response
        case .started, .failed, .closed: nil
        }
    }

    /// The time since the start of the exchange. It is `nil` for ``started(id:_:type:)`` and
    /// ``rejected(_:)``.
    public var duration: Duration? {
        switch self {
        case .answered(_, _, _, _, let duration, _, _), .failed(_, _, _, let duration, _),
            .opened(_, _, _, let duration, _, _), .closed(_, _, _, _, let duration, _):
            duration
        case .started, .rejected: nil
        }
    }

    /// The number of the exchange. It is `nil` for ``rejected(_:)``: a load may have had several
    /// exchanges.
    public var id: Int? {
        switch self {
        case .started(let id, _, _), .answered(let id, _, _, _, _, _, _),
            .failed(let id, _, _, _, _), .opened(let id, _, _, _, _, _),
            .closed(let id, _, _, _, _, _):
            id
        case .rejected: nil
        }
    }
}

extension ExchangeEvent: CustomStringConvertible {
    /// The event as one line for a log:
    /// `#1 GET https://api.example.com/users: 200 (OK), 15 bytes, 0.030 s`.
    ///
    /// Secrets are redacted as ``Redaction/standard`` describes.
    public var description: String { description(redacting: .standard) }

    /// Returns the event as one line for a log, in the form of ``description``.
    ///
    /// - Parameter redaction: The secrets to hide. The text of an ``APIRequestError`` also hides
    ///   what its own ``APIRequestError/redaction`` hides.
    /// - Returns: The line.
    public func description(redacting redaction: Redaction) -> String {
        func line(_ id: Int, _ request: URLRequest) -> String {
            "#\(id) \(request.line(redacting: redaction))"
        }
        switch self {
        case .started(let id, let request, _):
            return line(id, request)
        case .answered(let id, let request, let status, let bytes, let duration, _, _):
            return "\(line(id, request)): \(HTTPStatus.describe(status)), \(byteCount(bytes)), "
                + text(duration)
        case .opened(let id, let request, let status, let duration, _, _):
            return "\(line(id, request)): \(HTTPStatus.describe(status)), streaming, "
                + text(duration)
        case .closed(let id, let request, let bytes, let ending, let duration, _):
            let redaction = redaction.hidingValues(of: request)
            return "\(line(id, request)): \(text(ending, redaction)) after \(byteCount(bytes)), "
                + text(duration)
        case .failed(let id, let request, let error, let duration, _):
            let reason = reason(error, redaction.hidingValues(of: request))
            return "\(line(id, request)): \(reason), \(text(duration))"
        case .rejected(let error):
            let sentences = error.hiding(redaction).sentences
            return sentences.joined(separator: " ").excerpt(limit: 1_000)
        }
    }

    private func text(_ ending: StreamEnding, _ redaction: Redaction) -> String {
        switch ending {
        case .complete: "complete"
        case .left: "left by the reader"
        case .failed(let error): "\(reason(error, redaction)) The body ended"
        }
    }

    private func reason(_ error: any Error, _ redaction: Redaction) -> String {
        if error is CancellationError { return "cancelled" }
        let sentences = APIRequestError(
            stage: .transport, underlying: error, redaction: redaction
        ).reason
        return sentences.joined(separator: " ").excerpt(limit: 1_000)
    }

    /// A duration in seconds with three decimals. The text does not depend on the locale.
    private func text(_ duration: Duration) -> String {
        let milliseconds = Int((duration.clamped.seconds * 1_000).rounded())
        let digits = String(milliseconds % 1_000)
        return "\(milliseconds / 1_000)." + String(repeating: "0", count: 3 - digits.count) + digits
            + " s"
    }
}

extension ExchangeEvent: CustomReflectable, OpaquelyReflected {}

extension ExchangeEvent: Equatable {
    /// Whether two events have the same description without any redaction. So requests are compared
    /// by method and URL, a `URLError` by its code, any other error by its text, and durations to
    /// the millisecond.
    public static func == (left: ExchangeEvent, right: ExchangeEvent) -> Bool {
        left.comparedText == right.comparedText
    }

    private var comparedText: String {
        var event = self
        switch self {
        case .failed(let id, let request, let error, let duration, _):
            event = .failed(id: id, request, plain(error), after: duration)
        case .closed(let id, let request, let bytes, .failed(let error), let duration, _):
            event = .closed(id: id, request, bytes: bytes, .failed(plain(error)), after: duration)
        default: break
        }
        return event.description(redacting: .none)
    }

    /// Returns a `URLError` without its details, which depend on the platform, or any other error.
    private func plain(_ error: any Error) -> any Error {
        URLError(from: error).map { URLError($0.code) } ?? error
    }
}
