import Foundation

extension URLRequest {
    /// The idempotent methods (RFC 9110, 9.2.2; RFC 10008 for QUERY).
    static let idempotentMethods: Set<String> = [
        "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY",
    ]

    /// The method in upper case.
    var method: String { httpMethod?.uppercased() ?? "GET" }

    /// Whether the request may be sent again although a server may have processed it: its method is
    /// one of these (nil for any), or it has an `Idempotency-Key`. Its body must be one that can be
    /// sent again.
    func mayBeRepeated(methods: Set<String>? = idempotentMethods) -> Bool {
        let key = value(forHTTPHeaderField: "Idempotency-Key") ?? ""
        return canBeSentAgain && (!key.isEmpty || methods?.contains(method) ?? true)
    }
}
