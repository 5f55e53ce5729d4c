import Foundation

extension URLRequest {
    /// The idempotent methods (RFC 9110, 9.2.2; RFC 10008 for QUERY).
    static let idempotentMethods: Set<String> = [
        "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY",
    ]

    /// The method in upper case.
    var method: String { httpMethod?.uppercased() ?? "GET" }

    /// Returns whether the request may be sent again even if a server has processed it. The request
    /// must have one of the methods (nil for any) or an `Idempotency-Key`, and a body that can be
    /// sent again.
    func mayBeRepeated(methods: Set<String>? = idempotentMethods) -> Bool {
        let key = value(forHTTPHeaderField: "Idempotency-Key") ?? ""
        return canBeSentAgain && (!key.isEmpty || methods?.contains(method) ?? true)
    }
}
