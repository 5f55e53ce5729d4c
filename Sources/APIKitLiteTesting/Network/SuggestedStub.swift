import APIKitLite
import Foundation

/// The `stub(…)` line that would answer a request, as Swift code to paste.
struct SuggestedStub {
    private let reading: RequestReading
    private(set) var code = ""

    /// The number of query items, form fields and parts that the line leaves out because there are
    /// too many.
    private(set) var restCount = 0

    /// The size in bytes above which the line leaves the body out.
    private static let longestBody = 200
    /// The number of query items, form fields or parts above which the line leaves the others out.
    private static let mostItems = 20

    init(for reading: RequestReading) {
        self.reading = reading
        let matcher = methodAndPath + criteria("query", reading.query) + bodyCriteria()
        let response = reading.method == "HEAD" ? ".status(200)" : #".json("{}")"#
        code = "network.stub(\(matcher), \(response))"
    }

    private var methodAndPath: String {
        let segments = reading.segments
        // A template cannot express every segment: its braces mark names.
        let isPlain = segments.allSatisfy { (try? PathTemplate("/" + $0))?.match([$0]) == [:] }
        let path = isPlain ? "/" + segments.joined(separator: "/") : reading.url.path
        let isShort = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].contains(reading.method)
        return isShort && isPlain
            ? ".\(reading.method.lowercased())(\(path.swiftLiteral))"
            : ".method(\(reading.method.swiftLiteral))"
                + ".path(\(isPlain ? "" : "exactly: ")\(path.swiftLiteral))"
    }

    private mutating func bodyCriteria() -> String {
        if case .success(let multipart) = reading.multipart {
            restCount += max(0, multipart.parts.count - Self.mostItems)
            return multipart.parts.prefix(Self.mostItems).map(Self.criterion).joined()
        }
        guard !reading.body.isEmpty, reading.body.count <= Self.longestBody else { return "" }
        if case .success(let json) = reading.json { return ".json(\(json.compact.swiftLiteral))" }
        return criteria("form", reading.declaredForm ?? [])
    }

    private static func criterion(for part: MultipartBody.Part) -> String {
        let text = part.data.count <= longestBody ? part.fieldText : nil
        let arguments =
            text.map { [("text", $0)] }
            ?? [("fileName", part.fileName), ("contentType", mediaType(part.contentType))]
            .compactMap { label, value in value.map { (label, $0) } }
        let list = arguments.map { ", \($0): \($1.swiftLiteral)" }.joined()
        return ".part(\(part.name.swiftLiteral)\(list))"
    }

    /// Returns the criterion for items with values. An item without `=` is left out: its criterion
    /// would be another one for a query, and there is none for a form.
    private mutating func criteria(_ criterion: String, _ items: [NamedItem]) -> String {
        restCount += max(0, items.count - Self.mostItems)
        let list = items.prefix(Self.mostItems).compactMap { item in
            item.value.map { "\(item.name.swiftLiteral): \($0.swiftLiteral)" }
        }
        return list.isEmpty ? "" : ".\(criterion)([\(list.joined(separator: ", "))])"
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
