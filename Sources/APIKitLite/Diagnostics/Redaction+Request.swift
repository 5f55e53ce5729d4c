import Foundation

extension Redaction {
    /// The size of the largest body that is searched for secrets to hide elsewhere, in bytes.
    private static let longestBody = 100_000

    /// Returns this redaction, which also hides the values of the secrets of a request and its
    /// response in any text.
    package func hidingValues(
        of request: URLRequest?, _ response: HTTPURLResponse? = nil, _ data: Data? = nil
    ) -> Redaction {
        if isEmpty { return self }
        let found =
            (request.map(secrets) ?? [])
            + secrets(
                in: response?.allHeaderFields as? [String: String] ?? [:], data ?? Data())
        return hidingValues(found)
    }

    /// Returns this redaction, which also hides values in any text. A value of less than four bytes
    /// is in too many texts.
    func hidingValues(_ values: [String]) -> Redaction {
        adding(found: values.filter { $0.utf8.count >= 4 })
    }

    /// Returns the values in a request that are secrets because of their names.
    package func secrets(of request: URLRequest) -> [String] {
        var walk = SecretWalk(self)
        _ = walk.url((request.url?.absoluteString ?? "")[...])
        return walk.secrets
            + secrets(in: request.allHTTPHeaderFields ?? [:], request.knownBody ?? Data())
    }

    /// Does the same for the headers and the body of a request or a response.
    package func secrets(in headers: [String: String], _ body: Data) -> [String] {
        var walk = SecretWalk(self)
        for (name, value) in headers { _ = walk.header(name, value) }
        if body.count <= Self.longestBody {
            let type = headers.first { $0.key.lowercased() == "content-type" }?.value
            _ = walk.body(body, contentType: type)
        }
        return walk.secrets
    }
}
