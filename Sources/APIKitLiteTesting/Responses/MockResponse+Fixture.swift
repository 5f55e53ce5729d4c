import APIKitLite
import Foundation

extension MockResponse {
    /// Returns a response whose body is a file in a bundle.
    ///
    /// The `Content-Type` depends on the file's extension: `application/json` for `.json` or no
    /// extension, and `application/octet-stream` for an unknown extension. A missing file is a
    /// configuration error: each request that would receive the response fails, and `verify()`
    /// reports the error.
    ///
    /// - Parameters:
    ///   - fileName: The name of the file, as in ``JsonLoader``: `"users"`, `"users.json"`,
    ///     `"page.html"`.
    ///   - bundle: The bundle: `Bundle.module` in a package, or `Bundle(for:)` with a class of the
    ///     test target in an Xcode project.
    ///   - status: The status of the response, in `100...599`.
    /// - Returns: A response with the content of the file.
    public static func fixture(
        _ fileName: String, in bundle: Bundle, status: Int = 200
    ) -> MockResponse {
        let file = URL(fileURLWithPath: fileName)
        let type = file.pathExtension.isEmpty ? "application/json" : fileMediaType(file)
        let charset = type.hasPrefix("text/") ? "; charset=utf-8" : ""
        do {
            return .data(
                try JsonLoader(bundle: bundle).data(fileName: fileName),
                contentType: type + charset, status: status)
        } catch {
            return MockResponse.status(status).wrong("\(error)")
        }
    }
}
