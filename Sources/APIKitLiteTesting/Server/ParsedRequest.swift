import Foundation

/// One HTTP/1.0 or 1.1 request as it came over a socket (RFC 9112).
struct ParsedRequest: Equatable, Sendable {
    struct Field: Equatable, Sendable {
        var name: String
        var value: String
    }

    /// How the end of a body is told.
    enum Framing: Equatable {
        case length(Int)
        case chunked
    }

    var method: String
    var target: String
    /// The second number of HTTP/1.0 or HTTP/1.1; no other version gets this far.
    var minorVersion: Int
    var fields: [Field] = []
    var body = Data()

    /// Whether the client waits for an interim answer before it sends the body.
    var expectsContinue: Bool {
        minorVersion > 0 && !values(of: "expect").isEmpty
    }

    /// Whether another request may follow on the same connection.
    var keepsAlive: Bool {
        let options = listedValues(of: "connection")
        return !options.contains("close") && (minorVersion > 0 || options.contains("keep-alive"))
    }

    /// The values of every field of that name, in order.
    func values(of lowercasedName: String) -> [String] {
        let length = lowercasedName.utf8.count
        return fields.filter {
            $0.name.utf8.count == length && $0.name.lowercased() == lowercasedName
        }.map(\.value)
    }

    /// The lowercased members of a field that is a comma-separated list.
    private func listedValues(of lowercasedName: String) -> [String] {
        values(of: lowercasedName).flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }
}

extension ParsedRequest {
    /// Reads a request line, without its end.
    init(requestLine line: ArraySlice<UInt8>) throws(HTTPRequestError) {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw HTTPRequestError(
                "The request line is not \"method target version\", with one space between each.")
        }
        guard parts[0].isHTTPToken else { throw HTTPRequestError("The method is not a token.") }
        guard !parts[1].isEmpty, parts[1].allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x23 })
        else {
            throw HTTPRequestError(
                "The target has characters that must be percent-encoded, or a fragment.")
        }
        let version = Array(parts[2])
        let isVersion =
            version.count == 8 && version.starts(with: "HTTP/".utf8) && version[6] == 0x2E
            && version[5].isDigit && version[7].isDigit
        guard isVersion else { throw HTTPRequestError("The version is not of the form HTTP/1.1.") }
        guard version[5] == 0x31, version[7] <= 0x31 else {
            throw HTTPRequestError(505, "This server speaks HTTP/1.1 and HTTP/1.0 only.")
        }
        method = String(decoding: parts[0], as: UTF8.self)
        target = String(decoding: parts[1], as: UTF8.self)
        minorVersion = Int(version[7] - 0x30)
    }

    /// How the body is delimited, once all fields are known.
    ///
    /// - Throws: When the fields contradict each other, or ask for what this server cannot do.
    func framing() throws(HTTPRequestError) -> Framing {
        let hosts = values(of: "host").count
        guard hosts == 1 || hosts == 0 && minorVersion == 0 else {
            throw HTTPRequestError("There must be one Host field, not \(hosts).")
        }
        if let other = values(of: "expect").first(where: { $0.lowercased() != "100-continue" }) {
            throw HTTPRequestError(417, "No expectation is known but 100-continue: \(other)")
        }
        let lengths = values(of: "content-length")
        guard !values(of: "transfer-encoding").isEmpty else { return .length(try length(lengths)) }

        guard lengths.isEmpty, minorVersion > 0 else {
            throw HTTPRequestError(
                "Transfer-Encoding goes with neither Content-Length nor HTTP/1.0: "
                    + "the body's end would be ambiguous.")
        }
        let codings = listedValues(of: "transfer-encoding")
        if let unknown = codings.first(where: { $0 != "chunked" }) {
            throw HTTPRequestError(501, "No transfer coding is known but chunked: \(unknown)")
        }
        guard codings.count == 1 else {
            throw HTTPRequestError("The body must be chunked once, not \(codings.count) times.")
        }
        return .chunked
    }

    /// Several equal lengths are one (RFC 9112, section 6.3).
    private func length(_ values: [String]) throws(HTTPRequestError) -> Int {
        guard !values.isEmpty else { return 0 }
        let lengths = values.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        // `Int("+1")` is 1, so the digits are looked at as well.
        guard let first = lengths.first, lengths.allSatisfy({ $0 == first }),
            first.utf8.allSatisfy(\.isDigit), let length = Int(first)
        else {
            throw HTTPRequestError(
                "Content-Length is not one number: \(values.joined(separator: ", "))")
        }
        return length
    }
}

extension ParsedRequest.Field {
    /// Reads a field line, without its end.
    init(line: ArraySlice<UInt8>) throws(HTTPRequestError) {
        if line.first == 0x20 || line.first == 0x09 {
            throw HTTPRequestError(
                "A field line begins with white space: folded lines are obsolete.")
        }
        guard let colon = line.firstIndex(of: 0x3A), line[..<colon].isHTTPToken else {
            throw HTTPRequestError("A field line is not \"name: value\", with a token as the name.")
        }
        var text = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
        while text.last == 0x20 || text.last == 0x09 { text.removeLast() }
        guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw HTTPRequestError("A field has a control character in its value.")
        }
        name = String(decoding: line[..<colon], as: UTF8.self)
        // What is not UTF-8 is Latin-1, as HTTP once had it.
        value =
            String(bytes: text, encoding: .utf8) ?? String(bytes: text, encoding: .isoLatin1) ?? ""
    }
}

extension UInt8 {
    var isDigit: Bool { (0x30...0x39).contains(self) }
}
