import APIKitLite

/// A session that responds to every request with the same body and the status 200.
package struct FixedSession: HTTPSession {
    private let body: Data

    package init(_ body: Data = Data("{}".utf8)) { self.body = body }

    package func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        let url = request.url ?? URL(filePath: "/")
        return (
            HTTPBody(body),
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)!
        )
    }
}
