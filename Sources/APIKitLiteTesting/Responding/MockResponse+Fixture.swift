import APIKitLite
import Foundation

extension MockResponse {
    /// A file of a bundle: JSON unless its name has another extension.
    ///
    /// The `Content-Type` follows the extension. A file that is not there is a mistake, of which each
    /// request and `verify()` tell.
    ///
    /// - Parameters:
    ///   - fileName: As for ``JsonLoader``: `"users"`, `"users.json"`, `"page.html"`.
    ///   - bundle: `Bundle.module` in a package, `Bundle(for: Self.self)` in Xcode.
    ///   - status: The status of the response.
    public static func fixture(
        _ fileName: String, in bundle: Bundle, status: Int = 200
    ) -> MockResponse {
        fixture(fileName, JsonLoader(bundle: bundle), status)
    }

    /// A file of a folder, as of a bundle.
    public static func fixture(
        _ fileName: String, in folder: URL, status: Int = 200
    ) -> MockResponse {
        fixture(fileName, JsonLoader(folder: folder), status)
    }

    private static func fixture(
        _ fileName: String, _ loader: JsonLoader, _ status: Int
    ) -> MockResponse {
        let type = contentTypes[(fileName as NSString).pathExtension.lowercased()]
        do {
            return .data(
                try loader.data(fileName: fileName),
                contentType: type ?? "application/octet-stream", status: status)
        } catch {
            return MockResponse.status(status).wrong("\(error)")
        }
    }

    /// The answer of a real session, for the requests of one stub: never for what no stub matches.
    ///
    /// The session gets the request as it came. The journal marks it:
    /// ``RecordedRequest/wasPassedThrough``. A request that came over a ``LoopbackServer`` names this
    /// machine as its host; a session that wraps another may send it elsewhere.
    public static func passthrough(to session: any HTTPSession) -> MockResponse {
        var response = MockResponse()
        response.behavior = .passed(to: session)
        return response
    }
}

private let contentTypes = [
    "": "application/json", "json": "application/json", "html": "text/html; charset=utf-8",
    "txt": "text/plain; charset=utf-8", "csv": "text/csv; charset=utf-8",
    "xml": "application/xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
    "gif": "image/gif", "pdf": "application/pdf",
]
