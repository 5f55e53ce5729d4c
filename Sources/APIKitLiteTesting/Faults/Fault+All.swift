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
    /// there is one, and the others by chance. Of more than 64 values in JSON, 64 by chance are
    /// given another type, and a null. Bodies that are not JSON have no such faults.
    ///
    /// - Parameters:
    ///   - sample: A good answer.
    ///   - seed: Decides what is left to chance: the same seed gives the same faults.
    public static func all(of sample: MockResponse, seed: UInt64 = 0) -> [Fault] {
        var chance = SeededChance(seed: seed)
        let body = sample.body
        let places = boundaries(in: body, &chance)
        let cutHeads = [5, 15, 40].map { Fault.cut(afterHeaderBytes: $0) }
        return errors + [.noAnswer, .cutBeforeHeaders] + cutHeads
            + places.map { .cut(afterBytes: $0, of: body.count) } + [.longContentLength]
            + (body.isEmpty ? [] : [.shortContentLength, .emptyBody])
            // Truncated to nothing is empty.
            + places.dropFirst().map { .truncated(toBytes: $0, of: body.count) }
            + json(body, &chance) + [.html(status: 200), .html(status: 502)]
            + [.status(429, retryAfter: "120"), .status(503, retryAfter: "120")]
            + [.status(503, retryAfter: "Wed, 21 Oct 2015 07:28:00 GMT"), .slow]
    }

    private static func json(_ body: Data, _ chance: inout SeededChance) -> [Fault] {
        guard let json = try? JSONValue(body) else { return [] }
        var known: Set<String> = []
        // A key that is repeated is the same path again.
        let paths = json.paths.filter { known.insert($0).inserted }
        let some = chance.indices(most, of: paths.count).map { paths[$0] }
        return [.wrongTypes, .wrongTopLevel] + some.map { .wrongType(at: $0) }
            + some.map { .null(at: $0) }
    }

    private static let most = 64

    /// Numbers of bytes after which the body is cut; less than all of them.
    private static func boundaries(in body: Data, _ chance: inout SeededChance) -> [Int] {
        guard body.count > 256 else { return Array(0..<body.count) }
        var fixed: Set = [0, 1, body.count - 1]
        // A continuation byte of UTF-8 (RFC 3629, section 3).
        if let inside = body.firstIndex(where: { $0 & 0b1100_0000 == 0b1000_0000 }) {
            fixed.insert(inside - body.startIndex)
        }
        let others = chance.indices(most - fixed.count, of: body.count)
        return fixed.union(others).sorted()
    }
}

extension URLError {
    /// Names and codes, since Foundation has no names for its codes at run time.
    fileprivate static let named: [(code: Code, name: String)] = [
        (.timedOut, "timedOut"), (.notConnectedToInternet, "notConnectedToInternet"),
        (.networkConnectionLost, "networkConnectionLost"), (.cannotFindHost, "cannotFindHost"),
        (.dnsLookupFailed, "dnsLookupFailed"), (.cannotConnectToHost, "cannotConnectToHost"),
        (.secureConnectionFailed, "secureConnectionFailed"),
        (.serverCertificateUntrusted, "serverCertificateUntrusted"),
        (.serverCertificateHasBadDate, "serverCertificateHasBadDate"),
        (
            .appTransportSecurityRequiresSecureConnection,
            "appTransportSecurityRequiresSecureConnection"
        ),
        (.dataNotAllowed, "dataNotAllowed"), (.internationalRoamingOff, "internationalRoamingOff"),
        (.callIsActive, "callIsActive"), (.badServerResponse, "badServerResponse"),
        (.cannotParseResponse, "cannotParseResponse"),
        (.cannotDecodeContentData, "cannotDecodeContentData"),
        (.httpTooManyRedirects, "httpTooManyRedirects"), (.cancelled, "cancelled"),
    ]

    static func name(of code: Code) -> String {
        named.first { $0.code == code }.map { "URLError.\($0.name)" }
            ?? "URLError \(code.rawValue)"
    }
}

/// Chance that is the same for the same seed (SplitMix64).
struct SeededChance: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// So many of the first `count` numbers, in order; all of them if there are no more.
    mutating func indices(_ number: Int, of count: Int) -> [Int] {
        if count <= number { return Array(0..<count) }
        var chosen: Set<Int> = []
        while chosen.count < number { chosen.insert(Int.random(in: 0..<count, using: &self)) }
        return chosen.sorted()
    }
}
