import APIKitLite
import Foundation

// When a response is given, and where it breaks off.
extension MockResponse {
    /// Returns the response with a delay, on the network's clock.
    ///
    /// Without a clock, the delay takes no time. With one, if the delay exceeds the request's
    /// `timeoutInterval` (60 seconds by default), the request fails with `URLError.timedOut`.
    ///
    /// - Parameter delay: The time before the first byte. A negative one is a configuration error.
    public func delayed(by delay: Duration) -> MockResponse {
        guard delay >= .zero else {
            return wrong("delayed(by: \(delay)): a delay must not be negative.")
        }
        var response = self
        response.delay = delay
        return response
    }

    /// Returns the response with its body in pieces.
    ///
    /// A data delegate receives each piece; other clients receive the whole body. An interval
    /// simulates a slow connection. The pieces of a ``passthrough(to:)`` or a stream are those of its
    /// source: a change is a configuration error.
    ///
    /// - Parameters:
    ///   - size: The number of bytes in a piece; at least 1, or it is a configuration error.
    ///   - interval: The time between two pieces, on the network's clock. With zero, the response
    ///     keeps its pace. A negative one is a configuration error.
    /// - Returns: The response in pieces; the last one may be smaller.
    public func chunked(by size: Int, every interval: Duration = .zero) -> MockResponse {
        guard size > 0 else {
            return wrong("chunked(by: \(size)): a piece must have at least one byte.")
        }
        guard interval >= .zero else {
            return wrong(
                "chunked(by: \(size), every: \(interval)): an interval must not be negative.")
        }
        if let wrong = wrongIfFixed("chunked(by: \(size))") { return wrong }
        var response = self
        response.pieces = body.cut(by: size)
        if interval > .zero { response.gaps = [.zero, interval] }
        return response
    }

    /// Returns a response with text in pieces, each sent on its own.
    ///
    /// A data delegate receives each piece; other clients receive the whole body.
    ///
    /// - Parameters:
    ///   - pieces: The pieces, in order, sent as UTF-8. An empty one is left out.
    ///   - interval: The time between two pieces, on the network's clock. A negative one is a
    ///     configuration error.
    ///   - contentType: The `Content-Type` of the body.
    ///   - status: The status of the response, in `100...599`.
    ///   - headers: More headers. A name may occur several times.
    /// - Returns: The response in pieces. ``chunked(by:every:)`` cuts any other response.
    public static func chunks(
        _ pieces: [String], every interval: Duration = .zero,
        contentType: String = "text/plain; charset=utf-8", status: Int = 200,
        headers: KeyValuePairs<String, String> = [:]
    ) -> MockResponse {
        var response = data(Data(), contentType: contentType, status: status, headers: headers)
        guard interval >= .zero else {
            return response.wrong("chunks(every: \(interval)): an interval must not be negative.")
        }
        response.pieces = pieces.map { Data($0.utf8) }
        response.gaps = [.zero, interval]
        return response
    }

    /// The same response, held until ``Stub/release()``.
    public var held: MockResponse {
        var response = self
        response.isHeld = true
        return response
    }

    /// Returns a response that breaks off with an error after a number of bytes of its body.
    ///
    /// If the body has fewer bytes, the error follows the whole body, as if the response had
    /// announced a longer one. A redirect, and an answer without a body, such as a 204 or one to a
    /// `HEAD`, fail before their headers. For a stream, a ``passthrough(to:)``, an error and
    /// ``hanging``, it is a configuration error.
    ///
    /// A data delegate receives the bytes before the error. A completion handler and `exchange`
    /// receive only the error. Over a socket, the server closes the connection at that byte, and
    /// the client reports an error of its own.
    ///
    /// - Parameters:
    ///   - count: The number of bytes. A negative one is a configuration error.
    ///   - code: The code of the error.
    /// - Returns: The response that breaks off.
    public func failing(
        afterBytes count: Int, with code: URLError.Code = .networkConnectionLost
    ) -> MockResponse {
        guard count >= 0 else {
            return wrong("failing(afterBytes: \(count)): a count must not be negative.")
        }
        if let wrong = wrongIfFixed("failing(afterBytes: \(count))", needsHead: true) {
            return wrong
        }
        var response = self
        response.ending = .failure(URLError(code), afterBytes: count)
        return response
    }

    /// Returns a response that breaks off within its headers.
    ///
    /// The request fails with `URLError.networkConnectionLost`. Over a socket, the server sends
    /// that many bytes and closes the connection, and the client reports an error of its own.
    ///
    /// On Linux, the server sends no more than the status line without its line end: if the
    /// connection ended later within the headers, Foundation there would end the process of its
    /// client. For a stream, a ``passthrough(to:)``, an error and ``hanging``, it is a configuration
    /// error.
    ///
    /// - Parameter count: The number of bytes. A negative one is a configuration error.
    public func failing(afterHeaderBytes count: Int) -> MockResponse {
        guard count >= 0 else {
            return wrong("failing(afterHeaderBytes: \(count)): a count must not be negative.")
        }
        if let wrong = wrongIfFixed("failing(afterHeaderBytes: \(count))", needsHead: true) {
            return wrong
        }
        var response = self
        response.ending = .cutHead(afterBytes: count)
        return response
    }

    /// Returns the response with a configuration error. If there are several, the first one is
    /// kept.
    func wrong(_ configurationError: String) -> MockResponse {
        var response = self
        response.configurationError = response.configurationError ?? configurationError
        return response
    }

    /// Returns the time to wait before each of `count` pieces.
    func gaps(_ count: Int) -> [Duration] {
        let last = gaps.dropFirst().last ?? .zero
        return (0..<count).map { $0 < gaps.count ? gaps[$0] : last }
    }
}
