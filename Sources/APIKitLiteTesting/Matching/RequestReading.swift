import APIKitLite
import Foundation

/// A request, as matchers read it. Each part of the request is parsed on first use and without a
/// lock, so threads must not share a reading.
final class RequestReading {
    /// The request, in the form that a predicate receives: with the path values that the criteria
    /// have captured so far.
    var record: RecordedRequest
    private var lastNamed: (redaction: Redaction, reading: RequestReading)?
    /// The request without secrets, for messages; nil if messages show everything.
    private lazy var redacted: RequestReading? =
        record.redaction.map { RequestReading(RecordedRequest(request: $0.redacted(request))) }

    init(_ record: RecordedRequest) {
        self.record = record
    }

    /// Returns a reading of the request without its secrets, such as the value of an
    /// `Authorization` header. If a value is secret only because of its name, the same text stays
    /// elsewhere in the request, because the recording may contain the text there too.
    func ignoring(_ redaction: Redaction) -> RequestReading {
        if let lastNamed, lastNamed.redaction == redaction { return lastNamed.reading }
        var walk = SecretWalk(redaction)
        let reading = RequestReading(RecordedRequest(request: walk.request(request)))
        reading.redacted = redacted
        lastNamed = (redaction, reading)
        return reading
    }

    var request: URLRequest { record.request }
    var method: String { record.method }
    var body: Data { record.body }

    /// The request, as messages show it.
    var shown: RequestReading { redacted ?? self }

    private(set) lazy var url = URLParts(request.url?.absoluteString ?? "")
    /// The decoded segments of the path. There is always at least one segment.
    ///
    /// `URL` has already parsed its path, so this property takes a third of the time that ``url``
    /// takes.
    private(set) lazy var segments: [String] = PathTemplate.decodedSegments(
        ofPath: request.url?.absoluteURL.path(percentEncoded: true) ?? "")
    private(set) lazy var query: [NamedItem] = NamedItem.list(url.query ?? "")

    /// The body as JSON, or the reason why it is not JSON; nil for an empty or blank body.
    private(set) lazy var json: Result<JSONValue, any Error>? =
        body.isEmptyBody ? nil : Result { try JSONValue(body) }

    /// The fields of a form; nil for any other body. A body without a `Content-Type` is read as a
    /// form.
    private(set) lazy var form: [NamedItem]? = {
        let type = mediaType(contentType) ?? formMediaType
        guard type == formMediaType else { return nil }
        return exactText(body).map { NamedItem.list($0) }
    }()

    /// The parts of a `multipart/form-data` body, or the reason why they cannot be read; nil if
    /// there is no body.
    private(set) lazy var multipart: Result<[RecordedPart], any Error>? =
        body.isEmpty ? nil : Result { try MultipartBody.parts(of: body, contentType: contentType) }

    /// The fields of a body that has the `Content-Type` of a form, or that has no `Content-Type`
    /// and belongs to a `POST`; nil for any other body. A recorded form may lack that header.
    var declaredForm: [NamedItem]? { contentType == nil && method != "POST" ? nil : form }

    private var contentType: String? { request.value(forHTTPHeaderField: "Content-Type") }

    /// Whether the body is too large to parse just for a message.
    var isLarge: Bool { body.count > (isMultipart ? 1_000_000 : 100_000) }

    private var isMultipart: Bool { mediaType(contentType)?.hasPrefix("multipart/") == true }

    /// The type and size of the body, or `no body`, for messages that do not show the content.
    var bodyPlaceholder: String {
        body.isEmpty
            ? "no body"
            : Redaction.none.placeholder(
                for: body, contentType: contentType,
                contentEncoding: request.value(forHTTPHeaderField: "Content-Encoding"))
    }

    /// The body on one line, as messages show it; nil for an empty or blank body.
    var shownBody: String? {
        if body.isEmptyBody { return nil }
        if let redacted {
            // Text without named values may be a secret, even if a session sends it as a form.
            let isForm = declaredForm?.allSatisfy { $0.value != nil } == true
            let isText = !isForm && (try? json?.get()) == nil && (try? multipart?.get()) == nil
            return isText ? bodyPlaceholder : redacted.shownBody
        }
        if !isLarge {
            if case .success(let parts) = multipart { return parts.summary }
            if case .success(let json) = json { return json.compact.excerpt(limit: 120) }
        }
        let text = isLarge && isMultipart ? nil : exactText(body.beginning(10_000))
        return text?.excerpt(limit: 120) ?? bodyPlaceholder
    }
}

/// A query item or a form field. In `a=1&b`, the item named `b` has no value.
struct NamedItem: Hashable, Sendable {
    let name: String
    let value: String?

    // Servers compare bytes, so different Unicode forms of one character are different values.
    static func == (left: NamedItem, right: NamedItem) -> Bool {
        left.name.hasSameBytes(as: right.name)
            && (left.value.map { $0.hasSameBytes(as: right.value) } ?? (right.value == nil))
    }

    func hash(into hasher: inout Hasher) {
        for var text in [name, value ?? ""] {
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    /// Returns whether a request's item matches this expected item. An empty expected value also
    /// matches a missing value, because most servers treat both alike. Marks are compared as in
    /// `String.matches(_:marks:)`.
    func accepts(_ item: NamedItem, marks: Bool) -> Bool {
        name.matches(item.name, marks: marks)
            && (value == "" && item.value == nil
                || value?.matches(item.value, marks: marks) ?? (item.value == nil))
    }

    /// Returns the decoded items of a query or a form. As on most servers, a `+` means a space.
    static func list(_ text: String) -> [NamedItem] {
        text.utf8.split(separator: UInt8(ascii: "&")).map { item in
            let parts = item.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
            ).map { Substring($0).percentDecoded(plusIsSpace: true) }
            return NamedItem(name: parts[0], value: parts.count > 1 ? parts[1] : nil)
        }
    }

    /// The item as text, such as `page=2`.
    var shown: String {
        [name, value].compactMap { $0?.excerpt(limit: 500, onOneLine: false) }
            .joined(separator: "=")
    }
}

extension [RecordedPart] {
    /// The number of parts, the first five parts as text, and the number of further parts.
    fileprivate var summary: String {
        let shown = firstFive { $0.summary(limit: 60) }
        return isEmpty ? "no parts" : "\(count) \(count == 1 ? "part" : "parts"): \(shown)"
    }
}

extension Array {
    /// Returns the first five elements as text, and the number of further elements.
    func firstFive(_ text: (Element) -> String) -> String {
        prefix(5).map(text).joined(separator: ", ") + (count > 5 ? " and \(count - 5) more" : "")
    }
}

extension String {
    /// Returns whether two strings have the same bytes. `==` also equates `é` with an `e` followed
    /// by a combining accent.
    func hasSameBytes(as other: String?) -> Bool {
        // `==` finds most differences faster than a comparison of bytes, but ignores Unicode forms.
        other.map { self == $0 && utf8.elementsEqual($0.utf8) } ?? false
    }
}
