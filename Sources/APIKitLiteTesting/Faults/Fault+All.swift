import APIKitLite
import Foundation

extension Fault {
    /// The transport errors that an app's users encounter.
    ///
    /// - There is no connection, mobile data or roaming is off, or a call prevents a connection.
    /// - The host is not found or refuses the connection, or the connection is lost or times out.
    /// - The connection is not secure, its certificate is invalid, or the app itself rejects the
    ///   certificate. A rejection by the app is `.cancelled`, although no code cancelled the task.
    /// - `URLSession` cannot process the response.
    static let errors: [Fault] = URLError.named.map { .error($0.code) }

    /// Returns every fault of one response, always in the same order.
    ///
    /// A body of up to 256 bytes is cut at every byte: in one fault by a lost connection, and in
    /// another fault by truncation. A longer body is cut in both ways at up to 64 places: before
    /// and after the first byte, before the last byte, within a multi-byte character if there is
    /// one, and at evenly spaced places. Each JSON value has the wrong type in one fault, and is
    /// `null` in another fault. If there are more than 64 values, 64 evenly spaced values are used.
    /// A body that is not JSON has no such faults.
    ///
    /// A stream's body of up to 4,096 bytes is cut at every byte. A longer body is cut at up to 64
    /// places and at the ends of its pieces. For each piece except the last, one fault stalls the
    /// stream at the end of the piece. Another fault stalls the stream in the middle of the body,
    /// unless one of these faults already does so. For each piece, one fault makes the piece arrive
    /// twice. If there are more than 64 pieces, 64 evenly spaced pieces are used. A sample is a
    /// stream if its body has several pieces, or if its `Content-Type` is for events or JSON Lines.
    ///
    /// - Parameter sample: A good response.
    /// - Returns: The faults.
    static func all(of sample: MockResponse) -> [Fault] {
        let body = sample.body
        let pieceEnds = sample.pieceEnds
        let chosenEnds = indices(maximum, of: pieceEnds.count).map { pieceEnds[$0] }
        let places = boundaries(
            in: body, upTo: sample.isStreamed ? 4_096 : 256, with: chosenEnds)
        // These are separate statements, because a single expression takes seconds to compile.
        var faults = errors + [.hanging]
        faults += (places + [body.count]).map { .failing(afterBytes: $0) }
        faults += places.map { .truncated(toBytes: $0) }
        faults += json(body)
        faults += [.html(status: 200), .html(status: 502)]
        faults += [204, 304, 401, 404, 500].filter { $0 != sample.status }.map { .status($0) }
        faults += [.status(429, retryAfter: "120"), .status(503, retryAfter: "120")]
        faults += [.status(503, retryAfter: "Wed, 21 Oct 2015 07:28:00 GMT")]
        faults += [.slow, .cancelledBefore, .cancelledDuring]
        guard sample.isStreamed else { return faults }
        let stalls = Set(chosenEnds + [body.count / 2]).intersection(1..<max(body.count, 1))
        faults += stalls.sorted().map { .stalled(afterBytes: $0) }
        faults += indices(maximum, of: sample.pieces.count).map { .repeatedPiece($0 + 1) }
        return faults
    }

    /// Returns the faults of JSON, or an empty array if the body is not JSON.
    private static func json(_ body: Data) -> [Fault] {
        guard let paths = try? JSONValue(body).paths else { return [] }
        let chosen = indices(maximum, of: paths.count).map { paths[$0] }
        return chosen.map { .wrongType(at: $0) } + chosen.map { .null(at: $0) }
    }

    /// The maximum number of places, values or pieces to use.
    private static let maximum = 64

    /// Returns the byte counts at which to cut off the body, in ascending order. Each count is less
    /// than the size of the body.
    ///
    /// A body of up to `longest` bytes is cut off at every byte. A longer body is cut off at up
    /// to `maximum` places, and at the ends of its pieces.
    private static func boundaries(
        in body: Data, upTo longest: Int, with pieceEnds: [Int]
    ) -> [Int] {
        guard body.count > longest else { return Array(0..<body.count) }
        var fixed: Set = [0, 1, body.count - 1]
        // Find a UTF-8 continuation byte (RFC 3629, section 3).
        if let inside = body.firstIndex(where: { $0 & 0b1100_0000 == 0b1000_0000 }) {
            fixed.insert(inside - body.startIndex)
        }
        let others = indices(maximum - fixed.count, of: body.count)
        return fixed.union(others).union(pieceEnds).sorted()
    }

    /// Returns `number` evenly spaced indices in `0..<count`, or all indices if there are fewer.
    private static func indices(_ number: Int, of count: Int) -> [Int] {
        count <= number ? Array(0..<count) : (0..<number).map { $0 * count / number }
    }
}

extension MockResponse {
    /// Whether the body is a stream, because it has several pieces or a media type for streams.
    fileprivate var isStreamed: Bool {
        let type = mediaType(fields["content-type"]?.value)
        return pieces.count > 1 || type.map(streamMediaTypes.contains) ?? false
    }

    /// The offset in bytes at which each piece except the last ends, in order.
    fileprivate var pieceEnds: [Int] {
        pieces.dropLast().reduce(into: []) { ends, piece in
            ends.append((ends.last ?? 0) + piece.count)
        }
    }
}
