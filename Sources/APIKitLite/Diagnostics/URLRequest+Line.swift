import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Returns the method and the URL, with secrets redacted.
    ///
    /// - Parameter redaction: The secrets to hide.
    package func line(redacting redaction: Redaction) -> String {
        let url = Excerpt(
            url: url?.absoluteString ?? "(no URL)", with: redaction, limit: 2_000)
        return "\(httpMethod ?? "GET") \(url.text(limit: 2_000))"
    }
}
