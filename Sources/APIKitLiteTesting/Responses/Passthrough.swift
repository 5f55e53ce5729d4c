import APIKitLite
import Foundation

extension MockResponse {
    /// Makes the stub pass each request to a real session and respond with that session's response.
    ///
    /// A request that no stub matches is never passed on. The session receives the request without
    /// its connection-specific fields (RFC 9110, section 7.6.1). If the session responds,
    /// ``RecordedRequest/wasPassedThrough`` becomes true. The URL of a request to a
    /// ``LoopbackServer`` has the loopback address as its host, unless the client uses the server
    /// as its proxy. To change the host, wrap the session in one that rewrites the URL.
    ///
    /// A request that networks keep passing to themselves or to each other fails at the seventeenth
    /// pass. If the request goes through the networks' servers, the request fails when it times
    /// out.
    ///
    /// - Parameter session: The session that responds.
    public static func passthrough(to session: any HTTPSession) -> MockResponse {
        MockResponse().with(\.session, session)
    }
}

extension HTTPSession {
    /// Sends a request that a stub passes on.
    func sendPassed(_ request: URLRequest) async throws -> (HTTPBody, HTTPURLResponse) {
        var request = request
        // As a proxy does, remove the fields that belong to one connection. The next session adds
        // its own fields. A `Host` that differs from the URL's host and port stays, because the app
        // has set that field.
        var fields = connectionFields(request.value(forHTTPHeaderField: "Connection"))
        fields += ["Expect", "Content-Length"]
        if let host = request.value(forHTTPHeaderField: "Host"),
            request.url?.absoluteString.contains("://\(host)/") == true
        {
            fields.append("Host")
        }
        for name in fields { request.setValue(nil, forHTTPHeaderField: name) }
        let (body, response) = try await send(request, awaiting: .head(limit: .max))
        // The client might not read the body of a redirect or of a response to a `HEAD`, so that
        // body is not streamed.
        if request.httpMethod == "HEAD" || response.isRedirect {
            return (HTTPBody(try await body.collect()), response)
        }
        return (body, response)
    }
}

/// Returns the lowercased names of the fields that belong to one connection (RFC 9110, section
/// 7.6.1), given the value of the `Connection` field.
func connectionFields(_ connection: String?) -> [String] {
    let named = (connection ?? "").lowercased().split(separator: ",")
    return named.map { $0.trimmingCharacters(in: blanks) } + [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]
}
