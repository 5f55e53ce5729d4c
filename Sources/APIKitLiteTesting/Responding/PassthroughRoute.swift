import APIKitLite
import Foundation

/// How a request came to a network: which stubs have passed it on, and whether over a socket.
///
/// A request that comes back to a stub would be passed on without end, so it is refused.
struct PassthroughRoute: Sendable {
    /// Set while a stub passes a request on: a session of the caller's knows nothing of the stub.
    @TaskLocal static var current = PassthroughRoute()

    private var stubs: Set<ObjectIdentifier> = []
    /// Whether the request has the fields of a connection.
    private var isOverSocket = false

    static let overSocket = {
        var route = PassthroughRoute()
        route.isOverSocket = true
        return route
    }()

    func contains(_ stub: Stub) -> Bool {
        stubs.contains(ObjectIdentifier(stub))
    }

    /// Sends a request that a stub passes on.
    ///
    /// - Throws: The error of the session.
    func passOn(
        _ request: URLRequest, by stub: Stub, over session: any HTTPSession
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        var request = request
        if isOverSocket { request.removeConnectionFields() }
        var next = PassthroughRoute()
        next.stubs = stubs.union([ObjectIdentifier(stub)])
        return try await Self.$current.withValue(next) {
            let (body, response) = try await session.send(
                request, awaiting: .head(limit: .max))
            // The client reads no body of such a response, so none is sent in pieces.
            if request.httpMethod == "HEAD" || response.isRedirect {
                return (HTTPBody(try await body.collect()), response)
            }
            return (body, response)
        }
    }
}

extension URLRequest {
    /// Removes what belongs to one connection and its host, as a proxy does (RFC 9110, section
    /// 7.6.1). The next session adds its own.
    fileprivate mutating func removeConnectionFields() {
        let named = value(forHTTPHeaderField: "Connection")?.split(separator: ",") ?? []
        let fields = [
            "Host", "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
            "Transfer-Encoding", "Upgrade", "Expect", "Content-Length",
        ]
        for name in named.map({ $0.trimmingCharacters(in: .whitespaces) }) + fields {
            setValue(nil, forHTTPHeaderField: name)
        }
    }
}
