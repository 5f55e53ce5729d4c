import APIKitLite
import Foundation

/// One way in which an exchange can fail. A fault turns a good response into a faulty response.
///
/// ```swift
/// let sample = MockResponse.json(#"{"name": "Emma"}"#)
/// network.stub(.any, Fault.failing(afterBytes: 7).response(from: sample))
/// ```
///
/// `forEachFault(in:)` runs your code under each fault of a response.
public enum Fault: Hashable, Sendable {
    /// No fault: the good response itself.
    case noFault

    /// The good response for a task that is cancelled before it begins.
    ///
    /// `forEachFault` cancels the task. The fault itself does not change the response.
    case cancelledBefore

    /// The good response for a task that is cancelled after it has sent its first request.
    ///
    /// `forEachFault` cancels the task, and then releases the response. The fault itself only holds
    /// the response.
    case cancelledDuring

    /// A transport error instead of a response.
    case error(URLError.Code)

    /// No response, so that the request times out on the network's clock. See
    /// ``MockResponse/hanging``.
    case hanging

    /// A connection that is lost after this many bytes of the body. See
    /// ``MockResponse/failing(afterBytes:with:)``.
    ///
    /// If these bytes are the whole body, the response declares a longer body.
    case failing(afterBytes: Int)

    /// A complete response with only the beginning of the good body, such as JSON without its end.
    /// With 0, the body is empty.
    case truncated(toBytes: Int)

    /// JSON in which one value has the wrong type. The key path of the value is a string such as
    /// `$.user.ids[0]`, where `$` is the whole JSON.
    ///
    /// A string becomes a number, and a number or Boolean becomes a string. An object becomes an
    /// empty array, and an array or null becomes an empty object.
    case wrongType(at: String)

    /// JSON in which one value is `null`. The key path has the same form as in ``wrongType(at:)``.
    case null(at: String)

    /// An HTML page from a proxy instead of the response: a login page with status 200, or an error
    /// page.
    case html(status: Int)

    /// The good response with another status, and with a `Retry-After` field in seconds or as a
    /// date (RFC 9110, section 10.2.3). If `retryAfter` is `nil`, no field is added.
    case status(Int, retryAfter: String? = nil)

    /// The good response with its body in small pieces, one piece per second of the network's
    /// clock.
    ///
    /// Each piece has one byte, unless the body has more than 64 bytes. A longer body arrives in at
    /// most 64 larger pieces. The request's timeout limits the wait for the next byte, so this
    /// timeout ends the request only if it is shorter than a second.
    case slow

    /// A connection that stays open, but delivers nothing after this many bytes of the body. The
    /// number must be at least 1 and less than the size of the body.
    ///
    /// The request times out on the network's clock, or earlier if a policy ends the request: see
    /// `timingOut(after:idle:clock:)` of `HTTPSession`.
    case stalled(afterBytes: Int)

    /// A piece of the body that arrives twice, such as an event that a server sends again. Pieces
    /// are numbered from 1.
    case repeatedPiece(Int)
}

extension Fault {
    @TaskLocal static var ofThisRun = Fault.noFault

    /// The fault under which `forEachFault` runs the calling code; `noFault` in any other code.
    ///
    /// Include this property in an expectation, so that the failure message names the fault:
    ///
    /// ```swift
    /// #expect(model.message != nil, "\(Fault.current)")
    /// ```
    public static var current: Fault { ofThisRun }

    /// Whether the fault is a cancellation of the task.
    var isCancellation: Bool { self == .cancelledBefore || self == .cancelledDuring }
}

extension Fault: CustomStringConvertible {
    /// A short description of the fault, such as `connection lost after 7 bytes`.
    public var description: String {
        switch self {
        case .noFault: "no fault"
        case .cancelledBefore: "cancelled before"
        case .cancelledDuring: "cancelled during"
        case .error(let code): URLError.name(of: code)
        case .hanging: "no response"
        case .failing(let count): "connection lost after \(byteCount(count))"
        case .truncated(0): "empty body"
        case .truncated(let count): "truncated to \(byteCount(count))"
        case .wrongType(let path): "wrong type at \(path)"
        case .null(let path): "null at \(path)"
        case .html(let status): "HTML from a proxy, status \(status)"
        case .status(let status, let seconds?): "\(status) with Retry-After: \(seconds)"
        case .status(let status, nil): "status \(status)"
        case .slow: "slow body"
        case .stalled(let count): "nothing after \(byteCount(count))"
        case .repeatedPiece(let number): "piece \(number) sent twice"
        }
    }
}
