import APIKitLite
import Foundation

/// Reads the body of a request, wherever the client put it.
enum RequestBody {
    /// Whether reading the body may block, so that it must not happen on the loading thread.
    static func isSlow(_ request: URLRequest, _ task: URLSessionTask?) -> Bool {
        request.httpBody == nil && (request.httpBodyStream != nil || task is URLSessionUploadTask)
    }

    /// Returns the request with its body in `httpBody`.
    ///
    /// - Throws: The error of the stream or of the file; ``MockError`` for a streamed upload.
    static func fill(_ request: URLRequest, _ task: URLSessionTask?) throws -> URLRequest {
        guard isSlow(request, task) else { return request }
        var request = request
        // A copy, because the client may send the request again.
        if let stream = request.openedBody {
            request.httpBody = try read(stream)
            // On Linux, a `URLSession` adds these two headers to a body that is read from files.
            if request.value(forHTTPHeaderField: "Transfer-Encoding") == " " {
                request.setValue(nil, forHTTPHeaderField: "Transfer-Encoding")
                request.setValue(nil, forHTTPHeaderField: "Content-Length")
            }
        } else if let stream = request.httpBodyStream {
            request.httpBody = try read(stream)
        } else if let upload = task as? URLSessionUploadTask {
            request.httpBody = try upload.body()
        }
        return request
    }

    private static func read(_ stream: InputStream) throws -> Data {
        stream.open()
        defer { stream.close() }
        var body = Data()
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = stream.read(&piece, maxLength: piece.count)
            guard count > 0 else {
                if count == 0 { return body }
                // Without an error, `streamError` ends the process on Linux.
                let error = stream.streamStatus == .error ? stream.streamError : nil
                throw error ?? URLError(.requestBodyStreamExhausted)
            }
            body.append(contentsOf: piece[..<count])
        }
    }
}

extension URLSessionUploadTask {
    fileprivate func body() throws -> Data {
        if let body = try hiddenBody { return body }
        throw MockError(
            .unsupportedTask,
            """
            The body of uploadTask(withStreamedRequest:) cannot be seen by a mock: Foundation asks \
            no URLProtocol for it. Use uploadTask(with:from:), or set httpBodyStream on a data task.
            """)
    }
}
