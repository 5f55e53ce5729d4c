import APIKitLite
import APIKitLiteTesting

/// A client of a mock network, over one transport.
package struct TestClient: Sendable {
    package let network: MockNetwork
    package let session: any HTTPSession
    package let baseURL: URL

    package init(_ transport: Transport, _ network: MockNetwork = MockNetwork()) throws {
        self.network = network
        (session, baseURL) = try transport.open(network)
    }

    package func request(
        _ path: String = "a", method: String = "GET", headers: [String: String] = [:]
    ) -> URLRequest {
        .plain(baseURL.appending(path: path).absoluteString, method: method, headers: headers)
    }

    /// Loads a path, and returns the body of its response as text.
    package func load(_ path: String = "a") async throws -> String {
        try await session.exchange(request(path)).0.text
    }

    /// Opens the stream of a path.
    package func stream(
        _ path: String = "a"
    ) async throws -> (body: HTTPBody, response: HTTPURLResponse) {
        try await session.stream(request(path))
    }

    /// The status and the text of the response, or the text of the error.
    package func outcome(of request: URLRequest) async -> (status: Int?, text: String) {
        do {
            let (data, response) = try await session.exchange(request)
            return (response.statusCode, data.text)
        } catch {
            return (nil, "\(error)")
        }
    }
}

extension HTTPBody {
    /// The whole body as text.
    package var text: String { get async throws { try await collect().text } }
}

extension MockNetwork {
    /// What `verify()` finds.
    package var findings: [String] {
        do {
            try verify()
            return []
        } catch {
            return (error as? VerificationError)?.findings ?? ["\(error)"]
        }
    }
}
