import APIKitLite
import APIKitLiteTesting
import Foundation

/// Suspends until the task is cancelled, as a handler that never responds.
package func waitForCancellation() async throws -> MockResponse {
    for await _ in AsyncStream<Never>.makeStream().stream {}
    throw CancellationError()
}

extension URLRequest {
    package static func test(_ path: String, method: String = "GET", body: String? = nil)
        -> URLRequest
    {
        var request = URLRequest(url: URL(string: "https://api.example.com")!.appending(path: path))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        return request
    }
}

extension Data {
    package var text: String { String(decoding: self, as: UTF8.self) }
}
