import APIKitLite
import Foundation

extension Fault {
    /// The transport errors that users meet.
    ///
    /// No connection, and what the system says where mobile data, roaming or a call forbids one; a
    /// host that has no address, that refuses, or that stops answering; certificates, also those
    /// that the app itself rejects (`.cancelled`, although nobody cancelled); answers that
    /// URLSession itself cannot make sense of.
    public static let errors: [Fault] = URLError.named.map { .error($0.code) }

    /// Every fault of one answer, always in the same order.
    ///
    /// A body of up to 256 bytes is cut and truncated at every byte. A longer one in 64 places:
    /// before the first byte, after it, before the last, within a character of several bytes if
    /// there is one, and the others by random. Of more than 64 values in JSON, 64 by random are
    /// given another type, and a null. Bodies that are not JSON have no such faults.
    ///
    /// - Parameters:
    ///   - sample: A good answer.
    ///   - seed: Decides what is left to random: the same seed gives the same faults.
    public static func all(of sample: MockResponse, seed: UInt64 = 0) -> [Fault] {
        var random = SeededRandom(seed: seed)
        let body = sample.body
        let places = boundaries(in: body, &random)
        let inHeaders = [5, 15, 40].map { Fault.failing(afterHeaderBytes: $0) }
        return errors + [.hanging, .failingBeforeHeaders] + inHeaders
            + places.map { .failing(afterBytes: $0, of: body.count) } + [.longContentLength]
            + (body.isEmpty ? [] : [.shortContentLength, .emptyBody])
            // Truncated to nothing is empty.
            + places.dropFirst().map { .truncated(toBytes: $0, of: body.count) }
            + json(body, &random) + [.html(status: 200), .html(status: 502)]
            + [.status(429, retryAfter: "120"), .status(503, retryAfter: "120")]
            + [.status(503, retryAfter: "Wed, 21 Oct 2015 07:28:00 GMT"), .slow]
    }

    /// The faults that `checkLoader` drives a request through, in the order of its table.
    static func checks(of sample: MockResponse) -> [Fault] {
        let statuses = [
            201, 204, 301, 304, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504,
        ].filter { $0 != sample.status }
        let length = sample.body.count
        let isJSON = (try? JSONValue(sample.body)) != nil
        return [.noFault]
            + statuses.map { .status($0, retryAfter: [429, 503].contains($0) ? "120" : nil) }
            + [.html(status: 200), .html(status: 502)]
            + (length > 0 ? [.emptyBody, .truncated(toBytes: length / 2, of: length)] : [])
            + (isJSON ? [.wrongTypes, .wrongTopLevel, .null(at: "$")] : [])
            + [.error(.notConnectedToInternet), .error(.timedOut), .error(.networkConnectionLost)]
            + [.error(.cannotFindHost), .error(.secureConnectionFailed), .error(.cancelled)]
            + [.hanging, .failingBeforeHeaders, .failing(afterBytes: length / 2, of: length)]
            + [.cancelledBefore, .cancelledDuring]
    }

    private static func json(_ body: Data, _ random: inout SeededRandom) -> [Fault] {
        guard let json = try? JSONValue(body) else { return [] }
        var known: Set<String> = []
        // A key that is repeated is the same path again.
        let paths = json.paths.filter { known.insert($0).inserted }
        let some = random.indices(most, of: paths.count).map { paths[$0] }
        return [.wrongTypes, .wrongTopLevel] + some.map { .wrongType(at: $0) }
            + some.map { .null(at: $0) }
    }

    private static let most = 64

    /// Numbers of bytes after which the body is cut; less than all of them.
    private static func boundaries(in body: Data, _ random: inout SeededRandom) -> [Int] {
        guard body.count > 256 else { return Array(0..<body.count) }
        var fixed: Set = [0, 1, body.count - 1]
        // A continuation byte of UTF-8 (RFC 3629, section 3).
        if let inside = body.firstIndex(where: { $0 & 0b1100_0000 == 0b1000_0000 }) {
            fixed.insert(inside - body.startIndex)
        }
        let others = random.indices(most - fixed.count, of: body.count)
        return fixed.union(others).sorted()
    }
}
