import Foundation

extension URLRequest {
    /// Returns the request with a header, in place of any earlier value.
    ///
    /// - Parameters:
    ///   - name: The name of the header. Case makes no difference.
    ///   - value: The value. If it is nil, the request stays as it is and keeps an earlier value.
    ///     The elements of an array are joined with a comma, for `Cookie` with a semicolon.
    /// - Throws: ``RequestBuildingError`` for a name that is not one word, for a line break or NUL
    ///   in the value, and for a value that cannot be sent.
    public func header(
        _ name: String, _ value: (any RequestValue)?
    ) throws -> URLRequest {
        try headers([name: value])
    }

    /// Returns the request with headers, each in place of any earlier value.
    func headers(_ headers: RequestItems) throws -> URLRequest {
        let fields = try headerFields(headers)
        var request = self
        for field in fields { request.setValue(nil, forHTTPHeaderField: field.name) }
        for (name, value) in fields {
            // Only the values of `Cookie` are not a list (RFC 6265, section 4.2.1).
            let separator = name.lowercased() == "cookie" ? "; " : ", "
            let earlier = request.value(forHTTPHeaderField: name).map { $0 + separator } ?? ""
            request.setValue(earlier + value, forHTTPHeaderField: name)
        }
        return request
    }

    /// Returns the request with a header whose value is text, without a detour through items: this
    /// is on the path of every request with a credential.
    func header(_ name: String, _ value: String) throws -> URLRequest {
        try checkHeaderName(name)
        try checkHeaderValue(value, of: name)
        var request = self
        request.setValue(value, forHTTPHeaderField: name)
        return request
    }
}

private func headerFields(_ items: RequestItems) throws -> [(name: String, text: String)] {
    for item in items.items { try checkHeaderName(item.name) }
    let fields = try items.texts()
    for field in fields { try checkHeaderValue(field.text, of: field.name) }
    return fields
}

private func checkHeaderName(_ name: String) throws {
    guard !name.utf8.isHTTPToken else { return }
    throw RequestBuildingError(
        "The header", name, "is not one word. Use letters, digits and hyphens.")
}

private func checkHeaderValue(_ value: String, of name: String) throws {
    guard breaksLine(value) else { return }
    throw RequestBuildingError(
        "The header", name, "has a line break or NUL in its value. Remove it.")
}

extension URLRequest {
    /// Returns the request with a bearer token in its `Authorization` header (RFC 6750).
    ///
    /// Replaces any earlier value of the header.
    ///
    /// - Parameter token: The token, without the word `Bearer`. If it is nil, the request stays as
    ///   it is.
    /// - Throws: ``RequestBuildingError`` for a line break or NUL in the token.
    public func authorization(bearer token: String?) throws -> URLRequest {
        guard let token else { return self }
        return try header("Authorization", "Bearer \(token)")
    }

    /// Returns the request with a user name and a password in its `Authorization` header.
    ///
    /// This is the "Basic" scheme with UTF-8 (RFC 7617). Replaces any earlier value of the header.
    ///
    /// - Parameters:
    ///   - user: The user name, without a colon.
    ///   - password: The password.
    /// - Throws: ``RequestBuildingError`` for a colon in the user name, which would end it.
    public func authorization(user: String, password: String) throws -> URLRequest {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw RequestBuildingError(
                "The header", "Authorization",
                "has a user name with a colon in it, which ends the name. Remove the colon.")
        }
        let pair = Data("\(user):\(password)".utf8).base64EncodedString()
        return try header("Authorization", "Basic \(pair)")
    }

    /// Returns the request with the identifier and the secret of an OAuth client in its
    /// `Authorization` header (RFC 6749, section 2.3.1).
    ///
    /// This is the "Basic" scheme of form-encoded values: a server decodes `%2B` to `+`, and would
    /// read a plain `+` as a space. Replaces any earlier value of the header.
    ///
    /// - Parameters:
    ///   - clientID: The identifier, not encoded.
    ///   - clientSecret: The secret, not encoded.
    public func authorization(clientID: String, clientSecret: String) throws -> URLRequest {
        try authorization(
            user: PercentEncoding.form.encode(clientID),
            password: PercentEncoding.form.encode(clientSecret))
    }
}
