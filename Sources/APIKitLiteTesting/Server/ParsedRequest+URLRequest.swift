import APIKitLite
import Foundation

extension ParsedRequest {
    /// Returns the request that the stubs and the journal receive.
    ///
    /// - Throws: When the target and the `Host` field do not form a URL.
    func urlRequest() throws(HTTPRequestError) -> URLRequest {
        guard let url = try url() else {
            throw HTTPRequestError("The target and the Host make no URL: \(target)")
        }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.allHTTPHeaderFields = joinedFields()
        if !body.isEmpty { request.httpBody = body }
        return request
    }

    /// Returns the URL of the target (RFC 9112, section 3.2); `nil` if it does not form one.
    private func url() throws(HTTPRequestError) -> URL? {
        if let colon = target.firstRange(of: "://"),
            ["http", "https"].contains(target[..<colon.lowerBound].lowercased())
        {
            let url = URL(reference: target)
            return url?.host?.isEmpty == false ? url : nil
        }
        let host = values(of: "host").first ?? ""
        // These characters could end the host early or add a user name, so they are refused.
        guard !host.isEmpty,
            host.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"/?#@\\".utf8.contains($0) })
        else { throw HTTPRequestError("The Host field is not a host: \(host)") }
        let origin = "http://" + host
        if target.hasPrefix("/") { return URL(reference: origin + target) }
        return target == "*" && method == "OPTIONS" ? URL(string: origin) : nil
    }

    /// Returns one value for each name. Of several spellings of a name, the first is kept.
    private func joinedFields() -> [String: String] {
        var spellings: [String: String] = [:]
        var joined: [String: String] = [:]
        for field in fields {
            let name = field.name.lowercased()
            let spelling = spellings[name] ?? field.name
            spellings[name] = spelling
            // A cookie may contain a comma, so semicolons separate them (RFC 6265, section 5.4).
            let separator = name == "cookie" ? "; " : ", "
            joined[spelling] = joined[spelling].map { $0 + separator + field.value } ?? field.value
        }
        return joined
    }
}
