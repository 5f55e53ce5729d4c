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

    /// The stub that answered, if one did.
    var stub: ObjectIdentifier?

    /// Records a request as it is.
    public init(request: URLRequest) {
        self.request = request
    }

    /// The body; empty where there is none.
    public var body: Data { request.httpBody ?? Data() }

    /// The method, `GET` where the request names none.
    public var method: String { request.httpMethod ?? "GET" }

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

extension RecordedRequest: CustomStringConvertible {
    /// Method and URL without secrets, the size of the body, and whether it was cancelled.
    public var description: String {
        let size = body.isEmpty ? "" : ", \(body.count) bytes"
        return request.line + size + (wasCancelled ? ", cancelled" : "")
    }
}

/// What a mock has seen, oldest first, in bounded memory.
final class Journal: Sendable {
    private struct State {
        var entries: [RecordedRequest] = []
        var firstID = 0
        var limit = 10_000

        mutating func trim(to limit: Int) {
            let excess = entries.count - limit
            guard excess > 0 else { return }
            entries.removeFirst(excess)
            firstID += excess
        }
    }

    private let state = Locked(State())

    var requests: [RecordedRequest] {
        state.withLock { state in
            state.trim(to: state.limit)
            return state.entries
        }
    }

    var limit: Int {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = max(0, newValue) } }
    }

    func append(_ request: RecordedRequest) -> Int {
        state.withLock { state in
            // A quarter more than asked for, so that the oldest go in one move, seldom.
            if state.entries.count >= state.limit + state.limit / 4 { state.trim(to: state.limit) }
            state.entries.append(request)
            return state.firstID + state.entries.count - 1
        }
    }

    func markCancelled(_ id: Int) {
        state.withLock { state in
            let index = id - state.firstID
            if state.entries.indices.contains(index) { state.entries[index].wasCancelled = true }
        }
    }
}
