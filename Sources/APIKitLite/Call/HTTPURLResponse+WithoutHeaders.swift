import Foundation

extension HTTPURLResponse {
    /// A response with the status 200 and without headers, for the parsing of a body alone.
    static var withoutHeaders: HTTPURLResponse {
        // The initializer fails only on Apple platforms, and only for a URL that cannot be used.
        HTTPURLResponse(
            url: URL(filePath: "/"), statusCode: 200, httpVersion: nil, headerFields: nil)!
    }
}
