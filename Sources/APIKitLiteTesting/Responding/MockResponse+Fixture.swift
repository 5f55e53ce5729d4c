import APIKitLite
import Foundation

extension MockResponse {
    /// Returns a response whose body is a file of a bundle.
    ///
    /// The `Content-Type` follows the extension: `application/json` for `.json` or none,
    /// `application/octet-stream` for an unknown one. A missing file is a configuration error:
    /// every request to the stub fails, and `verify()` reports it.
    ///
    /// - Parameters:
    ///   - fileName: The name as for ``JsonLoader``: `"users"`, `"users.json"`, `"page.html"`.
    ///   - bundle: `Bundle.module` in a package, `Bundle(for:)` with a class of the test target in an
    ///     Xcode project.
    ///   - status: The status of the response, in `100...599`.
    /// - Returns: A response with the content of the file.
    public static func fixture(
        _ fileName: String, in bundle: Bundle, status: Int = 200
    ) -> MockResponse {
        fixture(fileName, JsonLoader(bundle: bundle), status)
    }

    static func fixture(
        _ fileName: String, _ loader: JsonLoader, _ status: Int
    ) -> MockResponse {
        let file = URL(fileURLWithPath: fileName)
        let type = file.pathExtension.isEmpty ? "application/json" : fileMediaType(file)
        let charset = type.hasPrefix("text/") ? "; charset=utf-8" : ""
        do {
            return .data(
                try loader.data(fileName: fileName),
                contentType: type + charset, status: status)
        } catch {
            return MockResponse.status(status).wrong("\(error)")
        }
    }

    /// Returns a response that passes each request of its stub to a real session, and gives its
    /// answer.
    ///
    /// A request that no stub matches is never passed on. The session gets the request as it came,
    /// without the fields of its connection (RFC 9110, section 7.6.1), and the journal marks it with
    /// ``RecordedRequest/wasPassedThrough``. The URL of a request over a ``LoopbackServer`` has the
    /// loopback address as its host; a session that wraps another can send it elsewhere.
    ///
    /// If the session belongs to the network itself, the request fails. A session type of your own
    /// that wraps it must be a `SessionPolicy`, so that this is noticed. A request that networks pass
    /// to each other fails at the seventeenth. If they do so over their servers, nothing shows it: it
    /// waits until it times out.
    ///
    /// - Parameter session: The session that answers.
    public static func passthrough(to session: any HTTPSession) -> MockResponse {
        var response = MockResponse()
        response.start = .passthrough(to: session)
        return response
    }
}
