import Foundation

/// One HTTP/1.1 request as it arrived over a socket (RFC 9112).
struct ParsedRequest: Equatable, Sendable {
    /// One field line.
    struct Field: Equatable, Sendable {
        var name: String
        var value: String
    }

    /// How the end of a body is determined (RFC 9112, section 6).
    enum Framing: Equatable {
        /// The length in bytes.
        case length(Int)
        case chunked
    }

    var method: String
    /// The request target as it arrived (RFC 9112, section 3.2).
    var target: String
    var fields: [Field] = []
    var body = Data()

    /// Whether the client waits for `100 Continue` before it sends the body.
    var expectsContinue: Bool { listedValues(of: "expect").contains("100-continue") }

    /// Whether another request may follow on the same connection.
    var keepsAlive: Bool { !listedValues(of: "connection").contains("close") }

    /// Returns the values of all fields with a name, in order.
    func values(of lowercasedName: String) -> [String] {
        let length = lowercasedName.utf8.count
        return fields.filter {
            $0.name.utf8.count == length && $0.name.lowercased() == lowercasedName
        }.map(\.value)
    }

    /// Returns the lowercased members of a field that is a comma-separated list.
    private func listedValues(of lowercasedName: String) -> [String] {
        values(of: lowercasedName).flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }
}

extension ParsedRequest {
    /// Parses a request line.
    ///
    /// - Parameter line: The line without its CR LF.
    /// - Throws: When the line is malformed, or when its version is not supported.
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
        guard parts[2].elementsEqual("HTTP/1.1".utf8) else {
            throw HTTPRequestError(505, "This server speaks HTTP/1.1 only.")
        }
        method = String(decoding: parts[0], as: UTF8.self)
        target = String(decoding: parts[1], as: UTF8.self)
    }

    /// Returns how the end of the body is determined. Call it when all fields are known.
    ///
    /// - Throws: When the fields contradict each other, or need something that this server does not
    ///   support.
    func framing() throws(HTTPRequestError) -> Framing {
        let hosts = values(of: "host").count
        guard hosts == 1 else {
            throw HTTPRequestError("There must be one Host field, not \(hosts).")
        }
        let lengths = values(of: "content-length")
        guard !values(of: "transfer-encoding").isEmpty else { return .length(try length(lengths)) }

        guard lengths.isEmpty else {
            throw HTTPRequestError(
                "Transfer-Encoding does not go with Content-Length: "
                    + "the body's end would be ambiguous.")
        }
        let codings = listedValues(of: "transfer-encoding")
        guard codings == ["chunked"] else {
            throw HTTPRequestError(
                501, "No transfer coding is known but chunked: \(codings.joined(separator: ", "))")
        }
        return .chunked
    }

    /// Returns the length of the body.
    private func length(_ values: [String]) throws(HTTPRequestError) -> Int {
        guard let value = values.first else { return 0 }
        // `Int("+1")` is 1, so each character must be checked too.
        guard values.count == 1, value.utf8.areDigits,
            let length = Int(value)
        else {
            throw HTTPRequestError(
                "Content-Length is not one number: \(values.joined(separator: ", "))")
        }
        return length
    }
}

extension ParsedRequest.Field {
    /// Parses a field line.
    ///
    /// - Parameter line: The line without its CR LF.
    /// - Throws: When the line is malformed.
    init(line: ArraySlice<UInt8>) throws(HTTPRequestError) {
        guard let colon = line.firstIndex(of: 0x3A), line[..<colon].isHTTPToken else {
            throw HTTPRequestError("A field line is not \"name: value\", with a token as the name.")
        }
        var text = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
        while text.last == 0x20 || text.last == 0x09 { text.removeLast() }
        guard text.isHTTPFieldValue else {
            throw HTTPRequestError("A field has a control character in its value.")
        }
        name = String(decoding: line[..<colon], as: UTF8.self)
        // HTTP once used Latin-1 for values, so a value that is not UTF-8 is read as Latin-1.
        value =
            String(bytes: text, encoding: .utf8) ?? String(bytes: text, encoding: .isoLatin1) ?? ""
    }
}
