import APIKitLite
import Foundation

/// Turns a client's request into the request that a `URLSession` sends.
enum RequestBody {
    /// Returns whether reading the body may block. The loading thread must not block.
    static func isSlow(_ request: URLRequest, _ task: URLSessionTask?) -> Bool {
        request.httpMethod != "HEAD" && request.httpBody == nil
            && (request.httpBodyStream != nil || task is URLSessionUploadTask)
    }

    /// Returns the error with which a `URLSession` rejects a GET that has a body; nil for any other
    /// request.
    static func refusal(of request: URLRequest, _ task: URLSessionTask? = nil) -> URLError? {
        let isRefused =
            request.httpMethod == "GET" && (request.hasBody || isSlow(request, task))
        return isRefused ? URLError(.dataLengthExceedsMaximum) : nil
    }

    /// Returns the request as a `URLSession` sends it (measured on Linux), with its body in
    /// `httpBody`. A `HEAD` request loses its body, and a `POST` with a body but no `Content-Type`
    /// gets the type of a form. Header values are trimmed, and headers whose values have only
    /// spaces or tabs are removed.
    ///
    /// - Throws: The error returned by ``refusal(of:_:)``; any error from reading the body's stream
    ///   or file; ``MockError`` for a streamed upload, whose body a mock cannot see.
    static func fill(_ request: URLRequest, _ task: URLSessionTask?) throws -> URLRequest {
        if let refusal = refusal(of: request, task) { throw refusal }
        var request = request
        if request.httpMethod == "HEAD" { (request.httpBody, request.httpBodyStream) = (nil, nil) }
        if request.httpMethod == "POST", request.hasBody,
            request.value(forHTTPHeaderField: "Content-Type") == nil
        {
            request.setValue(formMediaType, forHTTPHeaderField: "Content-Type")
        }
        // On Linux, this library adds `Content-Length` and a blank `Transfer-Encoding` for a body
        // of files.
        let fields = request.allHTTPHeaderFields ?? [:]
        if fields["Transfer-Encoding"] == " " {
            request.setValue(nil, forHTTPHeaderField: "Content-Length")
        }
        for (name, value) in fields {
            let sent = value.trimmingCharacters(in: blanks)
            if sent != value {
                request.setValue(sent.isEmpty ? nil : sent, forHTTPHeaderField: name)
            }
        }
        guard isSlow(request, task) else { return request }
        // If possible, read a fresh stream, because the client may send the request again.
        if let stream = request.openedBody ?? request.httpBodyStream {
            request.httpBody = try read(stream)
        } else if let upload = task as? URLSessionUploadTask {
            guard let body = try upload.hiddenBody() else {
                throw MockError(
                    """
                    The body of uploadTask(withStreamedRequest:) cannot be seen by a mock: \
                    Foundation asks no URLProtocol for it. Use uploadTask(with:from:), or set \
                    httpBodyStream on a data task.
                    """)
            }
            request.httpBody = body
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
                // On Linux, reading `streamError` crashes if there is no error.
                let error = stream.streamStatus == .error ? stream.streamError : nil
                throw error ?? URLError(.requestBodyStreamExhausted)
            }
            body.append(contentsOf: piece[..<count])
        }
    }
}

extension URLRequest {
    fileprivate var hasBody: Bool { httpBody?.isEmpty == false || httpBodyStream != nil }
}

/// The characters allowed around the value of a header (`OWS`, RFC 9110, section 5.6.3).
let blanks = CharacterSet(charactersIn: " \t")
