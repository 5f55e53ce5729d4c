import APIKitLite
import Foundation

extension HTTPBody {
    /// A body in pieces, which an error may end.
    init(_ pieces: [Data], throwing error: (any Error)? = nil) {
        let rest = Locked(pieces[...])
        self.init(unfolding: {
            if let piece = rest.withLock({ $0.popFirst() }) { return piece }
            if let error { throw error }
            return nil
        })
    }
}

/// A session that gives the same body to every request.
struct BodySession: HTTPSession {
    var status = 200
    var headers = ["Content-Type": "text/event-stream"]
    let body: @Sendable () -> HTTPBody

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        let response = HTTPURLResponse(
            url: request.url!, statusCode: status, httpVersion: nil, headerFields: headers)!
        return (body(), response)
    }
}

extension BodySession {
    /// A session whose body can be resumed, and comes from a function.
    init(
        status: Int = 200, headers: [String: String] = ["ETag": "\"1\""],
        unfolding next: @escaping @Sendable () async throws -> Data?
    ) { self.init(status: status, headers: headers) { HTTPBody(unfolding: next) } }
}
