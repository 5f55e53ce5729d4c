import APIKitLite
import Foundation

/// One request as matchers read it: each part is parsed once, when the first of them asks for it.
final class RequestReading {
    /// What the criteria so far have captured.
    var pathValues: [String: String] = [:]

    private let record: RecordedRequest

    init(_ record: RecordedRequest) {
        self.record = record
    }

    var request: URLRequest { record.request }
    var method: String { record.method }
    var body: Data { record.body }

    /// The request as a predicate sees it.
    var recorded: RecordedRequest {
        var record = record
        record.pathValues = pathValues
        return record
    }

    private(set) lazy var url = URLParts(request.url?.absoluteString ?? "")
    /// The path's segments, decoded; at least one.
    private(set) lazy var segments = PathTemplate.decodedSegments(ofPath: url.path)
    private(set) lazy var query = NamedItem.list(url.query ?? "", plusIsSpace: false)

    /// What the body says as JSON; nil where there is no body.
    private(set) lazy var json: Result<JSONValue, JSONText.Failure>? =
        body.isEmpty ? nil : Result { () throws(JSONText.Failure) in try JSONValue(body) }

    /// The fields of a form; nil where the body is something else.
    private(set) lazy var form: [NamedItem]? = {
        let type = mediaType(contentType) ?? NamedItem.formType
        guard type == NamedItem.formType else { return nil }
        return exactText(body).map { NamedItem.list($0, plusIsSpace: true) }
    }()

    /// How often each query item occurs, and each field of a form.
    private(set) lazy var queryCounts = ItemCounts(query)
    private(set) lazy var formCounts = form.map(ItemCounts.init)

    /// The same, where the content type says so: of another body nobody knows what is secret.
    var shownForm: [NamedItem]? { contentType == nil ? nil : form }

    private var contentType: String? { request.value(forHTTPHeaderField: "Content-Type") }

    /// The body by type and size; for texts that cannot show it.
    var bodyPlaceholder: String {
        body.isEmpty
            ? "no body"
            : Redaction.standard.placeholder(for: body, contentType: contentType)
    }

    /// The body as a text may show it, on one line.
    var shownBody: String? {
        if body.isEmpty { return nil }
        let shown = Excerpt(body: body, contentType: contentType, limit: 120)
        return shown?.text(limit: 120) ?? bodyPlaceholder
    }
}

/// An item of a query or a field of a form; a name without `=` has no value.
struct NamedItem: Hashable, Sendable {
    static let formType = "application/x-www-form-urlencoded"

    let name: String
    let value: String?

    static func list(_ text: String, plusIsSpace: Bool) -> [NamedItem] {
        text.utf8.split(separator: UInt8(ascii: "&")).map { item in
            func decode(_ part: Substring.UTF8View) -> String {
                PercentEncoding.decode(Substring(part), plusIsSpace: plusIsSpace)
            }
            guard let mark = item.firstIndex(of: UInt8(ascii: "=")) else {
                return NamedItem(name: decode(item), value: nil)
            }
            return NamedItem(
                name: decode(item[..<mark]), value: decode(item[mark...].dropFirst()))
        }
    }

    var isSecret: Bool {
        isHidden || Redaction.standard.text(name) != name
            || value.map { Redaction.standard.text($0) != $0 } ?? false
    }

    /// The item as a text may show it.
    var shown: String {
        guard let value else { return shownName }
        return "\(shownName)=\(isHidden ? Redaction.mark : shown(value))"
    }

    var shownName: String { shown(name) }

    /// Whether the value is a secret by its name.
    private var isHidden: Bool {
        value.map { Redaction.standard.hides(name, in: .item, value: $0.utf8) } ?? false
    }

    private func shown(_ text: String) -> String {
        Excerpt(redacting: text, limit: 500, onOneLine: false).text(limit: 500)
    }
}

/// Items by what they are, for those who ask for many of them.
final class ItemCounts {
    private let items: [NamedItem]
    private lazy var counts = Dictionary(items.lazy.map { ($0, 1) }, uniquingKeysWith: +)
    private lazy var byName = Dictionary(grouping: items, by: \.name)

    init(_ items: [NamedItem]) {
        self.items = items
    }

    /// How often an item occurs.
    subscript(item: NamedItem) -> Int { counts[item] ?? 0 }

    func named(_ name: String) -> [NamedItem] { byName[name] ?? [] }
}

extension [NamedItem] {
    /// As a text may show them, the first few.
    var shown: String {
        prefix(5).map(\.shown).joined(separator: ", ")
            + (count > 5 ? " and \(count - 5) more" : "")
    }
}
