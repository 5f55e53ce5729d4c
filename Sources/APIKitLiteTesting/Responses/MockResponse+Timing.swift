import APIKitLite
import Foundation

// When a response is sent, and in which pieces.
extension MockResponse {
    /// Returns the response with a delay, on the network's clock.
    ///
    /// Without a clock, the delay takes no time. With a clock, if the delay exceeds the request's
    /// timeout (60 seconds by default), the request fails with `URLError.timedOut`.
    ///
    /// - Parameter delay: The time before the response begins. A negative delay is a configuration
    ///   error.
    public func delayed(by delay: Duration) -> MockResponse {
        guard delay >= .zero else {
            return wrong("delayed(by: \(delay)): a delay must not be negative.")
        }
        return with(\.delay, delay)
    }

    /// Returns the response with its body in pieces.
    ///
    /// A data delegate receives each piece. A streaming or downloading client receives all unread
    /// bytes as one piece. Other clients receive the whole body. Use an interval to simulate a slow
    /// connection, on which each piece arrives separately. Cutting a ``passthrough(to:)`` or a
    /// stream is a configuration error, because other code determines its pieces.
    ///
    /// - Parameters:
    ///   - size: The number of bytes in a piece. A size below 1 is a configuration error.
    ///   - interval: The time between two pieces, on the network's clock. With zero, the response
    ///     keeps its existing pace. A negative interval is a configuration error.
    /// - Returns: The response in pieces. The last piece may be smaller.
    public func chunked(by size: Int, every interval: Duration = .zero) -> MockResponse {
        guard size > 0 else {
            return wrong("chunked(by: \(size)): a piece must have at least one byte.")
        }
        guard interval >= .zero else {
            return wrong(
                "chunked(by: \(size), every: \(interval)): an interval must not be negative.")
        }
        if let wrong = wrongIfFixed("chunked(by: \(size))") { return wrong }
        let response = with(\.pieces, body.cut(by: size))
        return interval > .zero ? response.with(\.gaps, [.zero, interval]) : response
    }

    /// Returns a response whose body is text in pieces.
    ///
    /// Clients receive the pieces as ``chunked(by:every:)`` describes.
    ///
    /// - Parameters:
    ///   - pieces: The pieces, in order, sent as UTF-8. Empty pieces are omitted.
    ///   - interval: The time between two pieces, on the network's clock. A negative interval is a
    ///     configuration error.
    ///   - contentType: The `Content-Type` of the body.
    ///   - status: The status of the response, in `100...599`.
    ///   - headers: More headers. A name may occur several times.
    /// - Returns: The response in pieces. To cut another response, use ``chunked(by:every:)``.
    public static func chunks(
        _ pieces: [String], every interval: Duration = .zero,
        contentType: String = "text/plain; charset=utf-8", status: Int = 200,
        headers: KeyValuePairs<String, String> = [:]
    ) -> MockResponse {
        let response = data(Data(), contentType: contentType, status: status, headers: headers)
        guard interval >= .zero else {
            return response.wrong("chunks(every: \(interval)): an interval must not be negative.")
        }
        return response.with(\.pieces, pieces.map { Data($0.utf8) }.withoutEmpty)
            .with(\.gaps, [.zero, interval])
    }

    /// The same response, held until you call ``Stub/release()``.
    public var held: MockResponse {
        with(\.isHeld, true)
    }

    /// Returns the time to wait before each of `count` pieces.
    func gaps(_ count: Int) -> [Duration] {
        let last = gaps.dropFirst().last ?? .zero
        return (0..<count).map { $0 < gaps.count ? gaps[$0] : last }
    }
}
