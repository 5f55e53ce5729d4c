import APIKitLite
import Foundation

extension MockResponse {
    /// Returns the response with a header, replacing any earlier value.
    ///
    /// A `Set-Cookie` header never replaces another `Set-Cookie` header, because each cookie needs
    /// its own header.
    ///
    /// Over each transport, a header arrives unchanged, except for blanks around its value. If a
    /// header cannot arrive unchanged, the request fails with an error that says why. The mock adds
    /// the `Content-Length` itself. If you set a wrong `Content-Length`, the request fails. Any
    /// length is allowed in a response with status 304, and in a response to a `HEAD` if you set no
    /// body. Setting a `Transfer-Encoding` is a configuration error, and so is setting any header
    /// of an error, ``hanging`` or a ``passthrough(to:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the header; its case does not matter (RFC 9110, section 5.1). A name
    ///     that is not a token is a configuration error.
    ///   - value: The value. A control character other than a tab, such as a line break or NUL, is
    ///     a configuration error.
    public func header(_ name: String, _ value: String) -> MockResponse {
        if name.lowercased() == "set-cookie" { return addingHeader(name, value) }
        return writing(name, value)
    }

    /// Returns the response with an additional value for a header.
    ///
    /// A comma separates the new value from earlier values (RFC 9110, section 5.3).
    ///
    /// - Parameters:
    ///   - name: The name of the header, as for ``header(_:_:)``.
    ///   - value: The additional value, as for ``header(_:_:)``.
    public func addingHeader(_ name: String, _ value: String) -> MockResponse {
        let earlier = fields[name.lowercased()]?.value
        return writing(name, earlier.map { "\($0), \(value)" } ?? value)
    }

    /// Returns the response with headers, replacing any earlier values. A name that occurs several
    /// times keeps all of its values.
    func headers(_ headers: KeyValuePairs<String, String>) -> MockResponse {
        var names: Set<String> = []
        return headers.reduce(self) { response, header in
            names.insert(header.key.lowercased()).inserted
                ? response.header(header.key, header.value)
                : response.addingHeader(header.key, header.value)
        }
    }

    /// Returns the response with a header that a test writes.
    private func writing(_ name: String, _ value: String) -> MockResponse {
        // A test cannot set the first of these headers or, if a recorded body was decoded, any of
        // these headers.
        let framing = ["transfer-encoding", "connection", "content-encoding", "content-length"]
        if framing.prefix(isDecoded ? 4 : 1).contains(name.lowercased()) {
            return wrong(
                "The header \(name.debugDescription) cannot be written here: the mock decides how it "
                    + "sends the body. Remove it.")
        }
        return setting(name, value)
    }

    /// Returns the response with a header that a test writes or a server sent.
    func setting(_ name: String, _ value: String) -> MockResponse {
        // The error messages do not quote the value, which may be a secret.
        guard name.utf8.isHTTPToken else {
            return wrong(
                "The header \(name.debugDescription) is not one word. Use letters, digits and hyphens."
            )
        }
        guard value.utf8.isHTTPFieldValue else {
            return wrong(
                "The header \(name.debugDescription) has a line break or another control character "
                    + "in its value. Remove it.")
        }
        let call = "header(\(name.debugDescription), …)"
        if source == nil, let wrong = wrongIfFixed(call, needsHead: true) { return wrong }
        let key = name.lowercased()
        // A key path with a key would be created for each response, which takes microseconds.
        var response = self
        response.fields[key] = (fields[key]?.name ?? name, value.trimmingCharacters(in: blanks))
        return response
    }
}

/// The fields of a message by lowercased name, each with the first spelling of its name.
typealias HTTPFields = [String: (name: String, value: String)]
