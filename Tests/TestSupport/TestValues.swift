import APIKitLite
import APIKitLiteTesting

/// Suspends until the task is cancelled, as a handler that never responds.
package func waitForCancellation() async throws -> MockResponse {
    for await _ in AsyncStream<Never>.makeStream().stream {}
    throw CancellationError()
}

extension URLRequest {
    package static func test(
        _ path: String, method: String = "GET", body: String? = nil
    ) -> URLRequest {
        let url = URL(string: "https://api.example.com")!.appending(path: path)
        return plain(url.absoluteString, method: method, body: body.map { Data($0.utf8) })
    }

    /// A request that is made without the library.
    package static func plain(
        _ url: String, method: String = "GET", headers: [String: String] = [:], body: Data? = nil
    ) -> URLRequest {
        var request = URLRequest(url: URL(string: url)!)
        request.httpMethod = method
        if !headers.isEmpty { request.allHTTPHeaderFields = headers }
        request.httpBody = body
        return request
    }
}

extension Data {
    package var text: String { String(decoding: self, as: UTF8.self) }
}
