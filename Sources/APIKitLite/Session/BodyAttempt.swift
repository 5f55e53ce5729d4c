import Foundation

/// One attempt to send a request, for which a body of files is opened anew.
struct BodyAttempt: Sendable {
    /// The request for the task of the attempt.
    let request: URLRequest
    nonisolated(unsafe)  // Its own functions lock its state.
        private let body: RepeatableBodyStream?

    /// Prepares an attempt. Any other body is kept as it is.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - cancel: Cancels the attempt. It is called if a file cannot be read, where Foundation
    ///     does not notice that itself.
    /// - Throws: ``FileBodyError`` if a file is missing or has another size.
    init(_ request: URLRequest, cancel: @escaping @Sendable () -> Void) throws {
        body = (request.httpBodyStream as? RepeatableBodyStream)?.reopened()
        guard let body else {
            self.request = request
            return
        }
        try body.body.checkFiles()
        var sent = request
        #if canImport(FoundationNetworking)
        sent.httpBodyStream = body
        #else
        sent.httpBodyStream = body.boundStream(onFailure: cancel)
        #endif
        // Some servers refuse a body whose length is not announced. A redirected request has the
        // blank value of the attempt before.
        if ["", " "].contains(sent.value(forHTTPHeaderField: "Transfer-Encoding") ?? "") {
            sent.setValue(String(body.body.size), forHTTPHeaderField: "Content-Length")
            #if canImport(FoundationNetworking)
            // Foundation on Linux always sends a stream in chunks, even beside a `Content-Length`,
            // which servers refuse (RFC 9112, section 6.2). With a blank value, libcurl sends
            // neither the header nor chunks.
            sent.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
            #endif
        }
        self.request = sent
    }

    /// Ends the attempt when its task has completed: closes the file that is open, if any.
    ///
    /// - Parameter result: The result of the task.
    /// - Returns: The result of the attempt. If a file could not be read, the attempt has failed,
    ///   whatever the server has answered.
    func end<Value>(with result: Result<Value, any Error>) -> Result<Value, any Error> {
        body?.close()
        return body?.failure.map { .failure($0) } ?? result
    }
}
