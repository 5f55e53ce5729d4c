import Foundation

extension ParsedRequest {
    /// Makes the request that stubs and journal see, with the URL that the client asked for.
    ///
    /// - Parameter authority: Host and port for a client that names none, as HTTP/1.0 allows.
    /// - Throws: When target and Host make no URL.
    func urlRequest(authority: String) throws(HTTPRequestError) -> URLRequest {
        guard let url = try url(authority: authority) else {
            throw HTTPRequestError("The target and the Host make no URL: \(target)")
        }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.allHTTPHeaderFields = joinedFields()
        if !body.isEmpty { request.httpBody = body }
        return request
    }

    private func url(authority: String) throws(HTTPRequestError) -> URL? {
        if let colon = target.firstRange(of: "://"),
            ["http", "https"].contains(target[..<colon.lowerBound].lowercased())
        {
            let url = URL(string: target)
            return url?.host?.isEmpty == false ? url : nil
        }
        let host = values(of: "host").first ?? ""
        // What could move the boundary between host and path is refused.
        guard host.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"/?#@\\".utf8.contains($0) })
        else { throw HTTPRequestError("The Host field is not a host: \(host)") }
        let origin = "http://" + (host.isEmpty ? authority : host)
        if target.hasPrefix("/") { return URL(string: origin + target) }
        return target == "*" && method == "OPTIONS" ? URL(string: origin) : nil
    }

    /// One value per name, as a dictionary wants it; the first spelling of a name is kept.
    private func joinedFields() -> [String: String] {
        var spellings: [String: String] = [:]
        var joined: [String: String] = [:]
        for field in fields {
            let name = field.name.lowercased()
            let spelling = spellings[name] ?? field.name
            spellings[name] = spelling
            // Cookies are the exception: a comma may be part of one (RFC 6265, section 5.4).
            let separator = name == "cookie" ? "; " : ", "
            joined[spelling] = joined[spelling].map { $0 + separator + field.value } ?? field.value
        }
        return joined
    }
}
