import Foundation

/// An event of ``HTTPSession/observed(clock:by:)``: the start, repetition or end of an exchange,
/// the headers or end of a stream, or a response that a load rejected.
///
/// Except for Foundation's error texts, an event's ``description`` is the same on every platform,
/// so a test can compare descriptions:
///
///     #expect(
///         events.map(\.description) == [
///             "#1 GET https://api.example.com/users/42",
///             "#1 GET https://api.example.com/users/42: 200 (OK), 15 bytes, 0.030 s",
///         ])
public struct ExchangeEvent: Sendable {
    /// What an event reports.
    public enum Kind: Sendable {
        /// The exchange is about to start.
        case started
        /// A `URLSession` on Linux sends the request again, because the connection was lost before
        /// the server responded. Only a request with a body, and with an idempotent method or an
        /// `Idempotency-Key`, causes this event. If libcurl or Apple's Foundation itself repeats a
        /// request, no event is reported.
        case resent
        /// A complete response with any status arrived, with a body of this many bytes.
        case received(bytes: Int)
        /// The exchange threw an error, or was cancelled. After ``opened``, this event means that
        /// the stream's body threw an error, such as a lost connection or a timeout.
        case failed(any Error)
        /// The headers of a stream arrived, with any status. One event reports the stream's end:
        /// ``closed(bytes:)``, ``left(bytes:)`` or ``failed(_:)``.
        case opened
        /// A stream's body of this many bytes was read to its end, or was complete from the start.
        case closed(bytes: Int)
        /// The reader of a stream stopped after this many bytes, or the reader's task or the
        /// transfer was cancelled.
        case left(bytes: Int)
        /// The exchange succeeded, but the load threw while it validated the response (stage
        /// ``APIRequestError/Stage/validate``) or parsed it (``APIRequestError/Stage/parse``). This
        /// event is not reported if a session between the observer and the load returned an
        /// ``HTTPBody`` that it created itself. A session that returns a body from
        /// ``HTTPBody/map(_:)`` passes the report on. An ``EventStream`` reports only the response
        /// that ends the events with an error, not a response after which it reconnects.
        case rejected(APIRequestError)
    }

    /// What the event reports.
    public let kind: Kind
    /// The exchange's number. Each observed session counts its exchanges from 1. If a load has
    /// several exchanges, ``Kind/rejected(_:)`` has the number of the exchange whose response was
    /// rejected.
    public let id: Int
    /// The exchange's request. For ``Kind/rejected(_:)``, it is the error's request, which may be
    /// nil.
    ///
    /// `event.request?.curlCommand()` returns the request as a shell command with redacted secrets.
    public let request: URLRequest?
    /// The request's type, such as `UserRequest`, which serves as the route in metrics. For a plain
    /// `URLRequest`, this is the `name` that was passed to the load, or nil if there is no name.
    public let requestType: String?
    /// The response's status and headers. Nil unless the event is ``Kind/received(bytes:)``,
    /// ``Kind/opened`` or ``Kind/rejected(_:)``.
    public let response: HTTPURLResponse?
    /// The time since the start of the exchange. Nil for ``Kind/started`` and
    /// ``Kind/rejected(_:)``.
    public let duration: Duration?

    init(
        _ kind: Kind, id: Int, _ request: URLRequest?, type: String? = nil,
        response: HTTPURLResponse? = nil, after duration: Duration? = nil
    ) {
        (self.kind, self.id, self.request, requestType) = (kind, id, request, type)
        (self.response, self.duration) = (response, duration)
    }

    init(rejected error: APIRequestError, id: Int) {
        self.init(
            .rejected(error), id: id, error.request, type: error.requestType,
            response: error.response)
    }
}

extension ExchangeEvent: CustomStringConvertible, CustomReflectable, OpaquelyReflected {
    /// The event as one line for a log:
    /// `#1 GET https://api.example.com/users: 200 (OK), 15 bytes, 0.030 s`.
    ///
    /// Secrets are redacted as ``Redaction/standard`` describes.
    public var description: String { description(redacting: .standard) }

    /// Returns the event as one line for a log, in the form of ``description``.
    ///
    /// - Parameter redaction: The secrets to hide. The message of an ``APIRequestError`` also hides
    ///   what its request's ``APIRequest/redaction`` hides.
    public func description(redacting redaction: Redaction) -> String {
        let status = response.map { describe(status: $0.statusCode) } ?? ""
        let number = "#\(id) "
        if case .rejected(let error) = kind {
            return number + line(of: error.hiding(redaction).sentences)
        }
        let hidden = redaction.hidingValues(of: request)
        let start = number + (request.map(hidden.line) ?? "")
        let outcome: String
        switch kind {
        case .started, .rejected: return start
        case .received(let bytes): outcome = "\(status), \(byteCount(bytes))"
        case .opened: outcome = "\(status), streaming"
        case .resent: outcome = "sent again"
        case .closed(let bytes): outcome = "complete after \(byteCount(bytes))"
        case .left(let bytes): outcome = "left by the reader after \(byteCount(bytes))"
        case .failed(is CancellationError): outcome = "cancelled"
        case .failed(let error):
            let failure = APIRequestError(stage: .transport, underlying: error, redaction: hidden)
            outcome = line(of: failure.reason)
        }
        return "\(start): \(outcome), \(text(duration ?? .zero))"
    }

    private func line(of sentences: [String]) -> String {
        sentences.joined(separator: " ").excerpt(limit: 1_000)
    }

    /// Returns a duration as text in seconds with three decimals, the same in every locale.
    private func text(_ duration: Duration) -> String {
        let milliseconds = Int((duration.clamped.seconds * 1_000).rounded())
        return String(format: "%ld.%03ld s", milliseconds / 1_000, milliseconds % 1_000)
    }
}
