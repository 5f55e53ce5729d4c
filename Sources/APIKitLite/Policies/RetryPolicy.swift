import Foundation

/// A policy that decides whether and when a request is sent again.
///
/// If a server is overloaded for a second, clients that do not retry fail. If all clients retry
/// together, they keep the server overloaded. A policy therefore sets a delay before each retry.
/// The delay is random, and its upper bound doubles with each attempt:
///
///     let session = URLSession.shared.retrying(RetryPolicy(maximumAttempts: 5))
///
/// A policy is a value that decides without side effects, so a test needs no session or clock:
///
///     let attempt = RetryAttempt(2, of: request, error: URLError(.timedOut), random: 0.5)
///
///     #expect(attempt.decision == .retry(after: .milliseconds(500)))
///
/// A request is sent again if all of these conditions hold:
/// - Its method is one of ``methods``, or ``methods`` is nil, or the request has a nonempty
///   `Idempotency-Key` header.
/// - Its body is not a stream, which can be sent only once. A body of files is opened again.
/// - The response's status is one of ``statuses``, or the error is a `URLError` with one of
///   ``errorCodes``.
/// - Fewer than ``maximumAttempts`` attempts were made.
/// - The delay is at most ``maximumDelay``, and ends before the ``deadline``.
///
/// The delay after attempt *n* is `random × min(maximumDelay, baseDelay × 2ⁿ⁻¹)`, with a random
/// number from 0 up to 1 (full jitter). The first delay is between zero and ``baseDelay``. The
/// upper bound doubles with each attempt, up to ``maximumDelay``. A `Retry-After` header (RFC 9110,
/// 10.2.3) replaces this delay, without jitter. If the header's delay is longer than
/// ``maximumDelay``, the request is not sent again, because an earlier attempt would be refused.
public struct RetryPolicy: Sendable, Equatable {
    /// The maximum number of attempts, including the first. A value below 1 counts as 1.
    public var maximumAttempts: Int
    /// The upper bound of the first delay. The bound doubles with each attempt. A negative value
    /// counts as zero.
    public var baseDelay: Duration
    /// The longest delay, without the server's `retry`, which an ``EventStream`` adds. If
    /// `Retry-After` asks for a longer delay, the request is not sent again. A negative value
    /// counts as zero.
    public var maximumDelay: Duration
    /// The time within which all attempts must begin, measured from the start of the first attempt.
    /// An ``EventStream`` measures it from the end of the last accepted connection, if any. A
    /// download measures it from the end of the last attempt that made progress, if any.
    ///
    /// The deadline does not interrupt an attempt, with one exception: if a connection of an
    /// ``EventStream`` has received no headers by the deadline, it fails with `URLError.timedOut`.
    /// To limit an attempt, use `timingOut`. If the value is zero or negative, nothing is sent. If
    /// the value is `nil`, there is no limit.
    public var deadline: Duration?
    /// The uppercase methods of requests that are sent again even without an `Idempotency-Key`
    /// header, or nil for any method. By default, the idempotent methods: `GET`, `HEAD`, `PUT`,
    /// `DELETE`, `OPTIONS`, `TRACE` (RFC 9110, 9.2.2) and `QUERY` (RFC 10008).
    public var methods: Set<String>?
    /// The status codes after which a request is sent again. By default, the codes of failures that
    /// may be temporary: 408, 429, 500, 502, 503 and 504.
    public var statuses: Set<Int>
    /// The `URLError` codes after which a request is sent again. By default, the codes of failures
    /// that may be temporary: a missing or lost connection, a timeout, and a host name that was not
    /// found.
    ///
    /// A refused certificate, an unusable URL and an unreadable response are not included, because
    /// a new attempt would fail in the same way. `cancelled` is not included either, because the
    /// app requested the cancellation.
    public var errorCodes: Set<URLError.Code>

    /// Creates a policy. The defaults are the values of ``standard``.
    public init(
        maximumAttempts: Int = 3, baseDelay: Duration = .milliseconds(500),
        maximumDelay: Duration = .seconds(30), deadline: Duration? = .seconds(120),
        methods: Set<String>? = RetryPolicy.standard.methods,
        statuses: Set<Int> = RetryPolicy.standard.statuses,
        errorCodes: Set<URLError.Code> = RetryPolicy.standard.errorCodes
    ) {
        self.maximumAttempts = maximumAttempts
        self.baseDelay = baseDelay
        self.maximumDelay = maximumDelay
        self.deadline = deadline
        self.methods = methods
        self.statuses = statuses
        self.errorCodes = errorCodes
    }

    /// The default policy: at most 3 attempts, which begin within 120 seconds.
    ///
    /// The first delay is at most 0.5 seconds, and the second is at most 1 second, unless the
    /// server asks for other delays of up to 30 seconds.
    public static let standard = RetryPolicy(
        methods: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY"],
        statuses: [408, 429, 500, 502, 503, 504],
        errorCodes: [
            .timedOut, .networkConnectionLost, .notConnectedToInternet, .cannotConnectToHost,
            .cannotFindHost, .dnsLookupFailed,
        ])

    /// A policy with one attempt and no deadline.
    public static let never = RetryPolicy(maximumAttempts: 1, deadline: nil)
}

extension URLRequest {
    /// Returns whether the request may be sent again even if a server has processed it. The request
    /// must have one of the `methods` (any method if `methods` is nil) or an `Idempotency-Key`, and
    /// no body that can be sent only once.
    func mayBeRepeated(methods: Set<String>? = RetryPolicy.standard.methods) -> Bool {
        let key = value(forHTTPHeaderField: "Idempotency-Key") ?? ""
        let method = httpMethod?.uppercased() ?? "GET"
        return canBeSentAgain && (!key.isEmpty || methods?.contains(method) ?? true)
    }
}
