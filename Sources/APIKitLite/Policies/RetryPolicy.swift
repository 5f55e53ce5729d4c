import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Says whether and when a request is sent again.
///
/// A server that is overloaded for a second fails every app that asks once; and the apps that ask
/// again at once, all together, keep it down. A policy waits, longer each time and by chance:
///
///     let session = URLSession.shared.retrying(RetryPolicy(maximumAttempts: 5))
///
/// It is a value, and what it decides is a pure function. A test needs no session and no clock:
///
///     let waits = RetryPolicy.standard.schedule(
///         for: [.response(status: 503), .failure(.timedOut)], of: request, random: 0.5)
///
///     #expect(waits == [.milliseconds(250), .milliseconds(500)])
///
/// A request is sent again if all of this holds:
/// - its method is one of ``methods``, or it has an `Idempotency-Key` header; and its body is no
///   stream, which could not be sent twice;
/// - the answer's status is one of ``statuses``, or the error is a `URLError` with one of
///   ``errorCodes``;
/// - fewer than ``maximumAttempts`` were made;
/// - the wait would be over before the ``deadline``.
///
/// The wait after attempt *n* is `random × min(maximumDelay, baseDelay × 2ⁿ⁻¹)`, with a random
/// number from 0 up to 1 (full jitter): so from zero up to ``baseDelay``, then up to twice as much,
/// and so on, never more than ``maximumDelay``. A `Retry-After` header (RFC 9110, 10.2.3) is the
/// wait instead, without jitter, and also never more than ``maximumDelay``.
public struct RetryPolicy: Sendable, Hashable {
    /// How often a request is sent, at most. Less than one counts as one.
    public var maximumAttempts: Int
    /// What the first wait is shorter than; the next ones double it. Negative counts as zero.
    public var baseDelay: Duration
    /// The longest wait, whatever the server asks for. Negative counts as zero.
    public var maximumDelay: Duration
    /// The longest time from the first attempt's start to the end: attempts and waits together. At
    /// the deadline an attempt that is in flight ends with `URLError.timedOut`. Zero or less:
    /// nothing is sent. Nil: no limit.
    public var deadline: Duration?
    /// The methods, in upper case, that may be sent twice without an `Idempotency-Key`.
    public var methods: Set<String>
    /// The statuses after which to try again.
    public var statuses: Set<Int>
    /// The errors after which to try again.
    public var errorCodes: Set<URLError.Code>

    /// A policy that differs from ``standard`` where told.
    public init(
        maximumAttempts: Int = 3, baseDelay: Duration = .milliseconds(500),
        maximumDelay: Duration = .seconds(30), deadline: Duration? = .seconds(120),
        methods: Set<String> = RetryPolicy.idempotentMethods,
        statuses: Set<Int> = RetryPolicy.transientStatuses,
        errorCodes: Set<URLError.Code> = RetryPolicy.transientErrorCodes
    ) {
        self.maximumAttempts = maximumAttempts
        self.baseDelay = baseDelay
        self.maximumDelay = maximumDelay
        self.deadline = deadline
        self.methods = methods
        self.statuses = statuses
        self.errorCodes = errorCodes
    }

    /// At most 3 attempts within 120 s; waits up to 0.5 s and 1 s, or what the server asks for, up
    /// to 30 s.
    public static let standard = RetryPolicy()

    /// One attempt, for as long as it takes.
    public static let never = RetryPolicy(maximumAttempts: 1, deadline: nil)

    /// GET, HEAD, PUT, DELETE, OPTIONS and TRACE: to send them twice means the same as once (RFC
    /// 9110, 9.2.2).
    public static let idempotentMethods: Set<String> = [
        "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE",
    ]

    /// 408, 429, 500, 502, 503 and 504.
    public static let transientStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// What may be over a second later: no connection or a lost one, no answer in time, a name that
    /// was not found.
    ///
    /// A refused certificate, a URL that cannot be used, an answer that cannot be read will be the
    /// same the next time. `cancelled` is what somebody wanted.
    public static let transientErrorCodes: Set<URLError.Code> = [
        .timedOut, .networkConnectionLost, .notConnectedToInternet, .cannotConnectToHost,
        .cannotFindHost, .dnsLookupFailed,
    ]
}
