import APIKitLite
import Foundation

/// The `stub(…)` line that would answer a request, as Swift code to paste.
///
/// The line leaves secrets out. It then has fewer criteria, so that it still matches.
struct SuggestedStub {
    private let reading: RequestReading
    private(set) var code = ""
    /// The parts of the request that the line leaves out because they are secret.
    private(set) var secrets: [String] = []

    /// The number of query items, form fields and parts that the line leaves out because there are
    /// too many.
    private(set) var restCount = 0

    /// The size in bytes above which the line leaves the body out.
    private static let longestBody = 200
    /// The number of query items, form fields or parts above which the line leaves the others out.
    private static let mostItems = 20

    init(for reading: RequestReading) {
        self.reading = reading
        let query = shown(reading.query, "query item")
        let matcher =
            methodAndPath() + (query.isEmpty ? "" : ".query([\(query)])") + bodyCriteria()
        let response = reading.method == "HEAD" ? ".status(200)" : #".json("{}")"#
        code = "network.stub(\(matcher), \(response))"
    }

    private func isShown(_ text: String) -> Bool { reading.redaction.text(text) == text }

    private mutating func methodAndPath() -> String {
        // A template cannot express every segment: its braces mark names.
        func isPlain(_ segment: String) -> Bool {
            (try? PathTemplate("/" + segment))?.match([segment]) == [:]
        }
        let segments = reading.segments
        var label = ""
        var path = "/" + segments.joined(separator: "/")
        if !segments.allSatisfy(isShown) {
            secrets.append("a part of the path")
            path = segments.indices.map {
                let segment = segments[$0]
                return isShown(segment) && isPlain(segment) ? "/\(segment)" : "/{segment\($0)}"
            }.joined()
        } else if !segments.allSatisfy(isPlain) {
            (label, path) = ("exactly: ", reading.url.path)
        }
        let short = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].contains(reading.method)
        return short && label.isEmpty
            ? ".\(reading.method.lowercased())(\(path.swiftLiteral))"
            : ".method(\(reading.method.swiftLiteral)).path(\(label)\(path.swiftLiteral))"
    }

    private mutating func bodyCriteria() -> String {
        if case .success(let multipart) = reading.multipart {
            restCount += max(0, multipart.parts.count - Self.mostItems)
            return multipart.parts.prefix(Self.mostItems).map { part($0) }.joined()
        }
        guard !reading.body.isEmpty, reading.body.count <= Self.longestBody else { return "" }
        if case .success(let json) = reading.json { return criterion(for: json) }
        let fields = shown(reading.shownForm ?? [], "form field")
        return fields.isEmpty ? "" : ".form([\(fields)])"
    }

    private mutating func criterion(for json: JSONValue) -> String {
        if isShown(json.compact) { return ".json(\(json.compact.swiftLiteral))" }
        guard case .object(let members) = json else {
            secrets.append("the body")
            return ""
        }
        let shown = members.filter { isShown(JSONValue.object([$0.key: $0.value]).compact) }
        secrets += members.keys.filter { shown[$0] == nil }.sorted()
            .map { "JSON key \(reading.redaction.text($0))" }
        // An empty object would match every object.
        let rest = JSONValue.object(shown).compact
        return shown.isEmpty ? "" : ".json(containing: \(rest.swiftLiteral))"
    }

    private mutating func part(_ part: MultipartBody.Part) -> String {
        let text = part.plainText(limit: Self.longestBody, redacting: reading.redaction)
        let arguments =
            text.map { [("text", $0)] }
            ?? [("fileName", part.fileName), ("contentType", mediaType(part.contentType))]
            .compactMap { label, value in value.map { (label, $0) } }
        guard !part.isHidden(by: reading.redaction), isShown(part.name),
            arguments.allSatisfy({ isShown($0.1) })
        else {
            secrets.append("part \(reading.redaction.text(part.name))")
            return ""
        }
        let list = arguments.map { ", \($0): \($1.swiftLiteral)" }.joined()
        return ".part(\(part.name.swiftLiteral)\(list))"
    }

    private mutating func shown(_ items: [NamedItem], _ noun: String) -> String {
        restCount += max(0, items.count - Self.mostItems)
        let redaction = reading.redaction
        let items = items.prefix(Self.mostItems)
        secrets += items.filter { $0.isSecret(redaction) }
            .map { "\(noun) \(redaction.text($0.name))" }
        return items.filter { !$0.isSecret(redaction) }
            .map { "\($0.name.swiftLiteral): \($0.value?.swiftLiteral ?? "nil")" }
            .joined(separator: ", ")
    }
}

extension String {
    /// The text as a Swift string literal. It is raw if that saves escapes.
    var swiftLiteral: String {
        // The compiler reads scalars. In `"#️⃣`, the mark is a part of another character.
        let scalars = unicodeScalars
        guard scalars.contains(where: { $0 == "\"" || $0 == "\\" }),
            !scalars.contains(where: { $0.properties.generalCategory == .control })
        else { return debugDescription }
        var marks = "#"
        while scalars.contains("\"\(marks)".unicodeScalars)
            || scalars.contains("\\\(marks)".unicodeScalars)
        {
            marks += "#"
        }
        return "\(marks)\"\(self)\"\(marks)"
    }
}
