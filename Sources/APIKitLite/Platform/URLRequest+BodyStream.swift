import Foundation

extension URLRequest {
    /// Returns the request with the given body (bytes or one file) and with the body's length.
    ///
    /// Some servers refuse a body of unknown length. If the request sets `Transfer-Encoding`, that
    /// header is kept, and no length is added.
    func sending(
        _ body: RepeatableBody,
        _ didSend: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)?
    ) -> URLRequest {
        var request = self
        #if canImport(FoundationNetworking)
        // Foundation on Linux does not report body progress to the delegate of a task. If a body's
        // file is missing or too short, Foundation waits until the timeout. The body stream
        // therefore counts and checks the bytes.
        request.httpBodyStream = RepeatableBodyStream(body, didRead: didSend)
        #else
        switch body.segments.first {
        case .file(let file): request.httpBodyStream = InputStream(url: file.url)
        case .bytes(let data): request.httpBody = data
        case nil: break
        }
        #endif
        if (value(forHTTPHeaderField: "Transfer-Encoding") ?? "").isEmpty {
            request.setValue(String(body.size), forHTTPHeaderField: "Content-Length")
            #if canImport(FoundationNetworking)
            // Foundation on Linux sends a stream in chunks, even with a `Content-Length`. RFC 9112,
            // section 6.2, forbids this combination. If `Transfer-Encoding` is blank, libcurl sends
            // neither that header nor chunks.
            request.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
            #endif
        }
        return request
    }
}
