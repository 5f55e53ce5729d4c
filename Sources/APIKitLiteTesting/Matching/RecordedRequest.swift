import APIKitLite
import Foundation

/// One request that a mock has seen.
public struct RecordedRequest: Sendable {
    /// The request, with its body in `httpBody` wherever the client had put it.
    public let request: URLRequest

    /// The values that the stub's path template captured, percent-decoded: `pathValues["id"]`.
    public internal(set) var pathValues: [String: String] = [:]

    /// Whether the client cancelled before the answer was complete.
    public internal(set) var wasCancelled = false

    /// Whether a real session answered, through a stub that passes on.
    public internal(set) var wasPassedThrough = false

    // The `Stub` that answered: a matcher, and so this file, knows no stubs. See `stub`.
    var answeringStub: (any AnyObject & Sendable)?

    /// When the request came: the time since its network was made, on the network's own clock.
    public internal(set) var startTime = Duration.zero

    /// When the whole answer had been given, or the client cancelled; nil until then.
    public internal(set) var endTime: Duration?

    /// Records a request as it is.
    public init(request: URLRequest) {
        self.request = request
    }

    /// The body; empty where there is none.
    public var body: Data { request.httpBody ?? Data() }

    /// The URL; nil for a request without one.
    public var url: URL? { request.url }

    /// The method, `GET` where the request names none.
    public var method: String { request.httpMethod ?? "GET" }

    /// The path of the URL, percent-decoded, without the query: `/users/42`.
    public var path: String { request.url?.path(percentEncoded: false) ?? "" }

    /// Returns the value of a header; nil if there is none. Names are compared without case.
    public func header(_ name: String) -> String? { request.value(forHTTPHeaderField: name) }

    /// The body as JSON text without spaces, with its keys sorted, so that a test can compare it:
    /// `#expect(request.json == #"{"age":7,"name":"Emma"}"#)`. Nil if the body is not JSON.
    public var json: String? { (try? JSONValue(body))?.sorted.compact }

    /// The items of the query in their order, percent-decoded. A name without `=` has no value.
    public var queryItems: [URLQueryItem] {
        request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }?.queryItems
            ?? []
    }

    /// The query by name: `query["page"]`. Of repeated names the first counts; a name without a
    /// value has an empty one.
    public var query: [String: String] {
        Dictionary(
            queryItems.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { old, _ in old })
    }

    /// Decodes the body from JSON.
    ///
    /// - Throws: A `DecodingError`.
    public func decode<Value: Decodable>(
        _ type: Value.Type, using decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: body)
    }
}

extension RecordedRequest: CustomStringConvertible, CustomReflectable, OpaquelyReflected {
    /// Method and URL without secrets, the size of the body, and whether it was cancelled or passed
    /// through.
    public var description: String {
        let size = body.isEmpty ? "" : ", \(byteCount(body.count))"
        let fate =
            (wasPassedThrough ? ", passed through" : "") + (wasCancelled ? ", cancelled" : "")
        return request.line + size + fate
    }
}
