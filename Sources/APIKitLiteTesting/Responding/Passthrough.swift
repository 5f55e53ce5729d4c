import APIKitLite
import Foundation

extension HTTPSession {
    /// Sends a request that a stub passes on.
    func sendPassed(_ request: URLRequest) async throws -> (HTTPBody, HTTPURLResponse) {
        var request = request
        request.removeConnectionFields()
        let (body, response) = try await send(request, awaiting: .head(limit: .max))
        // The client reads no body of such a response, so none is sent in pieces.
        if request.httpMethod == "HEAD" || response.isRedirect {
            return (HTTPBody(try await body.collect()), response)
        }
        return (body, response)
    }
}

extension URLRequest {
    /// Removes what belongs to one connection and its host, as a proxy does (RFC 9110, section
    /// 7.6.1). The next session adds its own. A `Host` that differs from the URL is the app's, and
    /// stays.
    fileprivate mutating func removeConnectionFields() {
        let named = value(forHTTPHeaderField: "Connection")?.split(separator: ",") ?? []
        var fields = named.map { $0.trimmingCharacters(in: .whitespaces) }
        fields += [
            "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding",
            "Upgrade", "Expect", "Content-Length",
        ]
        if let host = value(forHTTPHeaderField: "Host"),
            url?.absoluteString.contains("://\(host)/") == true
        {
            fields.append("Host")
        }
        for name in fields { setValue(nil, forHTTPHeaderField: name) }
    }
}
