import APIKitLite
import Foundation

/// Tells what goes over another session: a session around a session is a session.
package struct VerboseSession: HTTPSession {
    private let session: any HTTPSession
    private let log: @Sendable (String) -> Void

    /// Sends over `session`, and tells `log` a line at a time.
    package init(_ session: any HTTPSession, log: @escaping @Sendable (String) -> Void) {
        self.session = session
        self.log = log
    }

    /// Logs the request as a curl command, sends it, and logs the status and size of the answer.
    package func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        log(request.curlCommand())
        let (data, response) = try await session.exchange(request)
        log("→ \(response.statusCode), \(data.count) bytes")
        return (data, response)
    }
}
