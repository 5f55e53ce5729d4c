import Foundation

/// One pass that hides the secrets in a URL, a header or a body according to the secrets' names.
///
/// The pass also hides the values that its redaction knows, and collects the secrets that it finds
/// by their names or as user info.
package struct SecretWalk {
    let redaction: Redaction
    /// The secrets found by their names or as user info, decoded.
    package internal(set) var secrets: [String] = []
    /// The kind of each name seen so far, stored because a body may repeat a name often.
    private var names: [String: SecretName] = [:]
    /// The nesting depth of the current text, such as JSON in a form.
    private var depth = 0
    /// The nesting depth of the current part of a multipart body, not of the text in that part.
    private var partDepth = 0

    package init(_ redaction: Redaction) {
        self.redaction = redaction
    }

    private mutating func kind(_ name: String) -> SecretName {
        let kind = names[name] ?? redaction.name(name)
        names[name] = kind
        return kind
    }

    mutating func isShown(_ name: String) -> Bool { kind(name) == .shown }

    mutating func hides(_ name: String, _ value: String?, isKey: Bool = false) -> Bool {
        redaction.hides(kind(name), value, isKey: isKey)
    }

    /// Collects a secret, and returns the mark that replaces it. For a header value such as
    /// `Bearer a1`, `otherForm` is the token alone.
    mutating func mark(_ secret: String, otherForm: String? = nil) -> String {
        collect([secret])
        return redaction.mark(secret, otherForm: otherForm)
    }

    mutating func collect(_ values: [String]) {
        secrets += values.filter { !$0.isMark }
    }

    /// Returns text without its secrets. The text may be JSON or items (`a=b&c=d`) or contain URLs.
    package mutating func text(_ text: String) -> String {
        guard depth < 4, text.utf8.contains(where: { beginsName[Int($0)] }) else {
            return redaction.text(text)
        }
        depth += 1
        defer { depth -= 1 }
        if text.utf8.beginsAsJSON { return json(text) }
        // A byte such as a space or `>` ends a URL, as in `<https://h/?page=2>; rel="next"`.
        guard text.utf8.contains(where: { endsURL[Int($0)] }) else {
            // A URL's host is not searched for values.
            if text.contains("://") { return url(text[...]) }
            // Text with spaces or quotation marks is not treated as items, because it may be code.
            let isURL = text.hasPrefix("/") || text.utf8.contains(UInt8(ascii: "?"))
            return redaction.text(isURL ? url(text[...]) : items(text[...]))
        }
        let words = text.utf8.split { endsURL[Int($0)] }.map { Substring($0) }
        let urls = words.filter { $0.hasPrefix("/") || $0.contains("://") }
        return redaction.text(text.replacing(urls) { url($0) })
    }

    // MARK: Requests

    /// Returns a request without its secrets. A file or stream body is unchanged.
    package mutating func request(_ request: URLRequest) -> URLRequest {
        var shown = request
        if let text = request.url?.absoluteString {
            let url = url(text[...])
            if url != text { shown.url = URL(reference: url) }
        }
        for (name, value) in request.sortedHeaderFields {
            shown.setValue(header(name, value), forHTTPHeaderField: name)
        }
        if let body = request.httpBody {
            let type = request.value(forHTTPHeaderField: "Content-Type")
            shown.httpBody = self.body(body, contentType: type)
        }
        return shown
    }

    // MARK: URLs and forms

    /// Returns a URL, or the part of a URL that begins with its path, without secrets.
    mutating func url(_ url: Substring) -> String {
        let (rest, fragment) = url.cut(at: "#")
        let (start, query) = rest.cut(at: "?")
        return beginning(start) + (query.map { "?" + items($0) } ?? "")
            + (fragment.map { "#" + self.fragment($0) } ?? "")
    }

    /// Returns a fragment without secrets. A fragment consists of items, such as the token of the
    /// OAuth implicit grant, or of a path with items after a `?`.
    private mutating func fragment(_ fragment: Substring) -> String {
        let (start, query) = fragment.cut(at: "?")
        return query.map { path(start) + "?" + items($0) } ?? items(fragment)
    }

    /// Returns the part of a URL before its query, without user info. The host is not searched for
    /// values.
    private mutating func beginning(_ url: Substring) -> String {
        let (scheme, rest) = url.cut(at: "/")
        guard let rest, rest.first == "/" else { return path(url) }
        let (authority, after) = rest.dropFirst().cut(at: "/")
        var host = String(authority)
        if let at = authority.lastIndex(of: "@") {
            host = mark(password(in: authority[..<at]).percentDecoded()) + authority[at...]
        }
        return scheme + "//" + host + (after.map { "/" + path($0) } ?? "")
    }

    private mutating func path(_ path: Substring) -> String {
        path.split("/").map { value($0, .pathValue, plusIsSpace: false) }.joined(separator: "/")
    }

    /// Returns the items of a query, a fragment or a form, without secrets.
    mutating func items(_ items: Substring, _ encoding: PercentEncoding = .query) -> String {
        items.split("&").map { item($0, encoding) }.joined(separator: "&")
    }

    private mutating func item(_ item: Substring, _ encoding: PercentEncoding) -> String {
        let (name, value) = item.cut(at: "=")
        // Some programs separate items by semicolons, or write `&amp;`.
        let plainName = (name.split(";").last ?? name).percentDecoded(plusIsSpace: true)
        guard let value else { return self.value(item, encoding) }
        if isShown(plainName) { return String(item) }
        if hides(plainName, nil), hides(plainName, String(value)) {
            return name + "=" + mark(value.percentDecoded(plusIsSpace: true))
        }
        return redaction.text(String(name)) + "=" + self.value(value, encoding)
    }

    /// Returns an encoded value without the secrets in its text. A value without secrets is
    /// unchanged.
    private mutating func value(
        _ value: Substring, _ encoding: PercentEncoding, plusIsSpace: Bool = true
    ) -> String {
        let plain = value.percentDecoded(plusIsSpace: plusIsSpace)
        let shown = text(plain)
        if shown == plain { return String(value) }
        return plain == value ? shown : encoding.encode(shown)
    }

    // MARK: Headers

    package mutating func header(_ name: String, _ value: String) -> String {
        if isShown(name) { return value }
        switch name.lowercased() {
        case "cookie": return value.split(";").map { cookie($0, in: name) }.joined(separator: ";")
        case "set-cookie":
            return splitCookies(value).map { field in
                let (pair, attributes) = field.cut(at: ";")
                return cookie(pair, in: name) + (attributes.map { ";" + $0 } ?? "")
            }.joined(separator: ", ")
        default: break
        }
        guard hides(name, value) else { return text(value) }
        // One word is a token, and two words are a scheme and a token, such as `Bearer a1`.
        let words = value.split(separator: " ").map(String.init)
        guard let last = words.last, words.count < 3 else { return mark(value) }
        let isBasic = words[0].lowercased() == "basic"
        let pair = isBasic ? Data(base64Encoded: last).flatMap(plainText) : nil
        collect([last] + [pair.map { password(in: $0[...]) }].compactMap(\.self))
        return mark(value, otherForm: pair == nil ? last : nil)
    }

    /// Returns a cookie without secrets. If the cookie has no name, its entire text is the value.
    private mutating func cookie(_ cookie: Substring, in header: String) -> String {
        let (name, value) = cookie.cut(at: "=")
        let secret = (value ?? name).filter { $0 != "\"" && $0 != " " }
        if isShown(String(name)) { return String(cookie) }
        guard hides(header, secret) || hides(String(name), secret) else {
            return redaction.text(String(cookie))
        }
        if value == nil { return cookie.prefix { $0 == " " } + mark(secret) }
        return name + "=" + mark(secret)
    }

    // MARK: Bodies

    /// Returns a body of any type, without secrets. A body that is neither text nor multipart is
    /// unchanged.
    ///
    /// - Parameter isCut: Whether the body may end within a secret. If the body is UTF-8, that
    ///   secret is hidden too.
    package mutating func body(_ body: Data, contentType: String?, isCut: Bool = false) -> Data {
        let shown = wholeBody(body, contentType)
        guard isCut, let text = exactText(shown) else { return shown }
        return Data(redaction.withoutCutSecret(text).utf8)
    }

    private mutating func wholeBody(_ body: Data, _ contentType: String?) -> Data {
        let type = mediaType(contentType)
        if type?.hasPrefix("multipart/") == true,
            let boundary = mediaTypeParameter("boundary", of: contentType)
        {
            // A part may itself have parts. Parts that are nested too deeply are hidden whole.
            guard partDepth < 4 else {
                return Data(mark(String(decoding: body, as: UTF8.self)).utf8)
            }
            partDepth += 1
            defer { partDepth -= 1 }
            return multipart(body, boundary)
        }
        guard let text = plainText(body) else { return body }
        if type == formMediaType { return Data(items(text[...], .form).utf8) }
        if type == "text/event-stream" {
            // An event's JSON or URL follows the field name `data`.
            let lines = text.split("\n").map { line in
                guard line.hasPrefix("data:") else { return redaction.text(String(line)) }
                let end = line.dropFirst(5).prefix { $0 == " " }.endIndex
                return line[..<end] + self.text(String(line[end...]))
            }
            return Data(lines.joined(separator: "\n").utf8)
        }
        // The JSON may be incomplete, or contain several values.
        if text.utf8.beginsAsJSON { return Data(json(text).utf8) }
        // A body without a type may be a form, as in many archives.
        return Data((type == nil ? self.text(text) : redaction.text(text)).utf8)
    }

    private mutating func multipart(_ body: Data, _ boundary: String) -> Data {
        let delimiter = Data("--\(boundary)".utf8)
        var (shown, start) = (Data(), body.startIndex)
        for place in body.places(of: delimiter) {
            shown += part(body[start..<place]) + delimiter
            start = place + delimiter.count
        }
        // If the body was cut within its last delimiter, the delimiter's beginning is not content.
        let rest = body[start...]
        let end = Data("\r\n".utf8) + delimiter
        let cut = (1...end.count).last { rest.suffix($0).elementsEqual(end.prefix($0)) } ?? 0
        return shown + part(rest.dropLast(cut)) + rest.suffix(cut)
    }

    /// Returns a part of a multipart form, without secrets. The content of a part with a secret
    /// name is hidden. Other content is redacted like a body, unless the app has asked to show it.
    private mutating func part(_ part: Data) -> Data {
        let blank = part.range(of: Data("\r\n\r\n".utf8)) ?? part.range(of: Data("\n\n".utf8))
        guard let blank else { return part }
        let rest = part[blank.upperBound...]
        // The line break at the end belongs to the delimiter. A cut body may lack it.
        let lineEnd = ["\r\n", "\n"].first { rest.suffix($0.utf8.count).elementsEqual($0.utf8) }
        let content = rest.dropLast(lineEnd?.utf8.count ?? 0)
        let head = String(decoding: part[..<blank.lowerBound], as: UTF8.self)
        let headers = head.split("\n").map { $0.cut(at: ":") }
        func value(_ name: String) -> String? {
            headers.first { $0.0.lowercased() == name }?.1.map {
                $0.trimmingCharacters(in: .whitespacesAndNewlines)
            }
        }
        let name = headerParameter("name", of: value("content-disposition") ?? "") ?? ""
        if isShown(name) || content.isEmpty { return part }
        let shown =
            hides(name, nil)
            ? Data(mark(String(decoding: content, as: UTF8.self)).utf8)
            : body(content, contentType: value("content-type"))
        return part[..<content.startIndex] + shown + part[content.endIndex...]
    }
}

/// Returns the password of `user:password`, or the user name if there is no password.
private func password(in pair: Substring) -> String {
    let (user, password) = pair.cut(at: ":")
    return String(password.flatMap { $0.isEmpty ? nil : $0 } ?? user)
}

/// The bytes that end a URL within text.
private let endsURL = byteTable(" \t\r\n\"'<>\\")
/// A text that has none of these bytes has no named secret and no user info.
private let beginsName = byteTable("=@{[;")

extension Collection<UInt8> {
    /// Whether the text begins like a JSON object or array, after any byte order mark and white
    /// space.
    var beginsAsJSON: Bool { afterWhitespace.first.map { "{[".utf8.contains($0) } ?? false }
}

/// Splits cookies that Foundation joined in one field, or a browser joined with line breaks.
///
/// A comma separates two cookies only if a name and `=` follow it, because dates contain commas.
package func splitCookies(_ field: String) -> [Substring] {
    field.split(separator: /\n|,\s*(?=[^\s;,=]+=)/)
}
