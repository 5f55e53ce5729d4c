import APIKitLite
import Foundation

/// One request that a mock received.
public struct RecordedRequest: Sendable {
    /// The request. Its body is in `httpBody`, wherever the client put the body.
    public internal(set) var request: URLRequest

    /// The values that the stub's path template captured, percent-decoded, such as
    /// `pathValues["id"]`.
    public internal(set) var pathValues: [String: String] = [:]

    /// Whether the client cancelled the request before the response was complete.
    ///
    /// This may become true shortly after the client's call returns. To be sure, first call
    /// ``MockNetwork/waitForResponses(_:matching:fileID:line:)``.
    ///
    /// If a client of a ``LoopbackServer`` closes its connection after the response is complete, its
    /// request does not count as cancelled, even if the client has not received every byte.
    public internal(set) var wasCancelled = false

    /// Whether a real session responded, through ``MockResponse/passthrough(to:)``.
    public internal(set) var wasPassedThrough = false

    /// How often networks had already passed the request on.
    var passes = 0

    /// The ID of the stub that responded to the request or will respond; nil if no stub responds.
    var stub: Int?

    /// When the request was received, measured on the network's clock from the network's creation;
    /// zero without a clock.
    var startTime = Duration.zero

    /// When the request ended, measured like ``startTime``; nil while the request is pending. A
    /// request ends with a complete response, an error or a cancellation.
    var endTime: Duration?

    /// The status and headers of the response; nil if they have not been sent.
    public internal(set) var response: HTTPURLResponse?

    /// The error with which the request failed; nil if it has not failed.
    ///
    /// A cancelled request has no error: see ``wasCancelled``.
    public internal(set) var error: (any Error)?

    /// When the request was received.
    let startDate = Date()

    /// The part of the response's body that was sent.
    var sentBody = SentBody()

    /// Whether the journal has dropped the body of the request.
    var hasLostBody = false

    /// The secrets to hide in messages about the request; nil to show everything.
    var redaction: Redaction?

    /// The body; empty if the request has no body.
    public var body: Data { request.httpBody ?? Data() }

    /// The URL; nil if the request has no URL.
    public var url: URL? { request.url }

    /// The method, `GET` by default.
    public var method: String { request.httpMethod ?? "GET" }

    /// The pieces of the response's body that were sent, in order, with the times of sending.
    ///
    /// Usually, the whole body is one piece. Pieces are kept up to a `SentBody.Limit`.
    var sent: [SentPiece] { sentBody.pieces }

    /// Returns the value of a header, or nil if the request does not have that header.
    ///
    /// - Parameter name: The name of the header; its case does not matter (RFC 9110, section 5.1).
    public func header(_ name: String) -> String? { request.value(forHTTPHeaderField: name) }

    /// Decodes the body from JSON. For the type `Data`, returns the body unchanged. For an optional
    /// type, returns nil if the body is empty or blank.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder; by default, a new `JSONDecoder`.
    /// - Returns: The decoded value.
    /// - Throws: A `DecodingError` if the body is not JSON or has no value of this type.
    public func decode<Value: Decodable>(
        _ type: Value.Type, using decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, fromBody: body)
    }
}

// A dump shows only the description. Otherwise, it would show a line for each byte of a body.
extension RecordedRequest: CustomStringConvertible, CustomReflectable, OpaquelyReflected {
    /// The method, the URL, the size of the body, and whether the request was cancelled or passed
    /// through.
    public var description: String {
        let size = body.isEmpty ? "" : ", \(byteCount(body.count))"
        let outcome =
            (wasPassedThrough ? ", passed through" : "") + (wasCancelled ? ", cancelled" : "")
        return line + size + outcome
    }

    /// The method and the URL.
    var line: String { request.line(redacting: redaction ?? .none) }
}
