import Foundation

extension URLRequest {
    /// Returns the request with a header, which replaces any earlier value.
    ///
    /// - Parameters:
    ///   - name: The name of the header. Case makes no difference.
    ///   - value: The value. If nil or an empty array, the request is unchanged. The elements of an
    ///     array are joined with a comma, or with a semicolon for `Cookie`.
    /// - Throws: ``RequestBuildingError`` for a name that is not one word, for a control character
    ///   other than a tab in the value, such as a line break or NUL, and for a value that cannot be
    ///   sent.
    public func header(
        _ name: String, _ value: (any RequestValue)?
    ) throws -> URLRequest {
        try headers([name: value])
    }

    /// Returns the request with headers, which replace any earlier values.
    func headers(_ headers: RequestItems) throws -> URLRequest {
        for item in headers.items where !item.name.utf8.isHTTPToken {
            throw RequestBuildingError(
                "The header", item.name, "is not one word. Use letters, digits and hyphens.")
        }
        let fields = try headers.texts()
        var request = self
        for field in fields {
            try checkField(field.text, "The header", field.name, "value")
            request.setValue(nil, forHTTPHeaderField: field.name)
        }
        for (name, value) in fields {
            // The values of `Cookie` are not separated by commas (RFC 6265, section 4.2.1).
            let separator = name.lowercased() == "cookie" ? "; " : ", "
            let earlier = request.value(forHTTPHeaderField: name).map { $0 + separator } ?? ""
            request.setValue(earlier + value, forHTTPHeaderField: name)
        }
        return request
    }
}

/// Checks the text of a header in a request or in a multipart part.
func checkField(_ text: String, _ subject: String, _ name: String, _ noun: String) throws {
    guard let flaw = flaw(in: text, allowing: fieldCharacters) else { return }
    throw RequestBuildingError(subject, name, "has \(flaw) of its \(noun). Remove it.")
}

/// The characters of a `b64token` (RFC 6750), and two that some servers add, as Laravel does in
/// `1|a2b4`.
private let bearerCharacters = byteTable(alphanumerics + "-._~+/=|:")

extension URLRequest {
    /// Returns the request with a bearer token in its `Authorization` header (RFC 6750).
    ///
    /// Replaces any earlier value of the header.
    ///
    /// - Parameter token: The token, without the word `Bearer`. If nil, the request is unchanged.
    /// - Throws: ``RequestBuildingError`` for an empty token, and for a character that is not
    ///   allowed in a token (RFC 6750, section 2.1), such as a space or a line break. The
    ///   characters `|` and `:` are accepted, because some servers use them.
    public func authorization(bearer token: String?) throws -> URLRequest {
        guard let token else { return self }
        let flaw = flaw(in: token, allowing: bearerCharacters)
        if let flaw = token.isEmpty ? "is empty" : flaw.map({ "has \($0)" }) {
            throw RequestBuildingError(
                "The bearer token \(flaw). Pass the token alone, or nil for none.")
        }
        return try header("Authorization", "Bearer \(token)")
    }

    /// Returns the request with a user name and a password in its `Authorization` header.
    ///
    /// This is the "Basic" scheme with UTF-8 (RFC 7617). Replaces any earlier value of the header.
    ///
    /// - Parameters:
    ///   - user: The user name, without a colon.
    ///   - password: The password.
    /// - Throws: ``RequestBuildingError`` for a colon in the user name, because a colon ends the
    ///   name.
    public func authorization(user: String, password: String) throws -> URLRequest {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw RequestBuildingError(
                "The header", "Authorization",
                "has a user name with a colon in it, which ends the name. Remove the colon.")
        }
        let pair = Data("\(user):\(password)".utf8).base64EncodedString()
        return try header("Authorization", "Basic \(pair)")
    }

    /// Returns the request with an OAuth client's identifier and secret in the `Authorization`
    /// header (RFC 6749, section 2.3.1).
    ///
    /// This is the "Basic" scheme with form-encoded values. A server decodes `%2B` to `+`, and
    /// would read a plain `+` as a space. Replaces any earlier value of the header.
    ///
    /// - Parameters:
    ///   - clientID: The identifier, not encoded.
    ///   - clientSecret: The secret, not encoded.
    public func authorization(clientID: String, clientSecret: String) throws -> URLRequest {
        try authorization(user: clientID.formEncoded, password: clientSecret.formEncoded)
    }
}
