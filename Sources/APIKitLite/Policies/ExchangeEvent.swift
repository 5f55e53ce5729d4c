import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What an ``ExchangeObserver`` sees: an exchange that starts and how it ends, or a load that was
/// lost after its exchange.
///
/// Two events are equal if they say the same: requests count by method, URL, headers and body,
/// errors as ``==(_:_:)`` says. So a test compares arrays:
///
///     #expect(
///         events == [
///             .started(id: 1, request),
///             .answered(id: 1, request, status: 200, bytes: 15, after: .milliseconds(30)),
///         ])
public enum ExchangeEvent: Sendable {
    /// The request is handed to the session inside. The id counts from 1 for each observer.
    case started(id: Int, URLRequest)
    /// The answer came, whatever its status, with so many bytes of body.
    case answered(id: Int, URLRequest, status: Int, bytes: Int, after: Duration)
    /// No answer came; also for a cancelled exchange.
    case failed(id: Int, URLRequest, any Error, after: Duration)
    /// The answer was not accepted (stage `.validate`) or not understood (`.parse`) by the load
    /// that had asked for it.
    case rejected(APIRequestError)

    /// What was sent; nil only for a lost load that somebody reported without it.
    ///
    /// `event.request?.curlCommand()` makes it a command; nobody pays for one otherwise.
    public var request: URLRequest? {
        switch self {
        case .started(_, let request), .answered(_, let request, _, _, _),
            .failed(_, let request, _, _):
            request
        case .rejected(let error): error.request
        }
    }

    /// The number of the exchange; nil for a lost load, which may have had several.
    public var id: Int? {
        switch self {
        case .started(let id, _), .answered(let id, _, _, _, _), .failed(let id, _, _, _): id
        case .rejected: nil
        }
    }
}

extension ExchangeEvent: CustomStringConvertible {
    /// One line for a log: `#1 GET https://api.example.com/users: 200 (OK), 15 bytes, 0.030 s`.
    ///
    /// What goes by a name in ``Redaction/standard`` is not shown.
    public var description: String {
        switch self {
        case .started(let id, let request):
            "#\(id) \(line(request))"
        case .answered(let id, let request, let status, let bytes, let duration):
            "#\(id) \(line(request)): \(HTTPStatus.describe(status)), \(byteCount(bytes)), "
                + text(duration)
        case .failed(let id, let request, let error, let duration):
            "#\(id) \(line(request)): \(reason(error)), \(text(duration))"
        case .rejected(let error):
            Excerpt(error.sentences.joined(separator: " ")).text(limit: 1_000)
        }
    }

    private func line(_ request: URLRequest) -> String {
        let url = Excerpt(url: request.url?.absoluteString ?? "(no URL)", limit: 2_000)
        return "\(request.httpMethod ?? "GET") \(url.text(limit: 2_000))"
    }

    private func reason(_ error: any Error) -> String {
        if error is CancellationError { return "cancelled" }
        let sentences = APIRequestError(stage: .transport, underlying: error).reason
        return Excerpt(sentences.joined(separator: " ")).text(limit: 1_000)
    }

    /// Seconds and milliseconds, the same in every locale.
    private func text(_ duration: Duration) -> String {
        let milliseconds = Int((duration.clamped.seconds * 1_000).rounded())
        let rest = String(milliseconds % 1_000)
        return "\(milliseconds / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
            + " s"
    }
}

extension ExchangeEvent: CustomReflectable, OpaquelyReflected {}
