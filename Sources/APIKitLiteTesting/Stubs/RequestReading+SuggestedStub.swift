import APIKitLite
import Foundation

extension RequestReading {
    /// The largest size, in bytes, of a body that the suggested line includes.
    private static let longestBody = 200
    /// The largest number of query items or form fields that the suggested line includes.
    private static let mostItems = 20

    /// A `stub(…)` line that would respond to the request, as Swift code to paste.
    var suggestedStub: String {
        let matcher = methodAndPath + criteria("query", query) + bodyCriterion
        let response = method == "HEAD" ? ".status(200)" : #".json("{}")"#
        return "network.stub(\(matcher), \(response))"
    }

    private var methodAndPath: String {
        // A template cannot express every segment, because its braces mark names.
        let isPlain = segments.allSatisfy {
            $0 == Redaction.mark || (try? PathTemplate("/" + $0))?.match([$0]) == [:]
        }
        // Redacted segments become `{value}`, `{value2}` and so on. Each matches any segment.
        var count = 0
        let segments = segments.map { segment in
            if segment != Redaction.mark { return segment }
            count += 1
            return count == 1 ? "{value}" : "{value\(count)}"
        }
        let path = isPlain ? "/" + segments.joined(separator: "/") : url.path
        let isShort = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].contains(method)
        return isShort && isPlain
            ? ".\(method.lowercased())(\(path.swiftLiteral))"
            : ".method(\(method.swiftLiteral))"
                + ".path(\(isPlain ? "" : "exactly: ")\(path.swiftLiteral))"
    }

    private var bodyCriterion: String {
        guard !body.isEmpty, body.count <= Self.longestBody else { return "" }
        let hasMark = exactText(body)?.contains(Redaction.mark) ?? false
        if case .success(let json) = json, !hasMark { return ".json(\(json.compact.swiftLiteral))" }
        // A session can send any text as a form, so a field without `=` could be a secret.
        return criteria("form", (declaredForm ?? []).filter { $0.value != nil })
    }

    /// Returns the criterion for items without redacted values, or "" if there are no such items.
    private func criteria(_ criterion: String, _ items: [NamedItem]) -> String {
        let list = items.prefix(Self.mostItems).compactMap { item in
            let value = item.value ?? ""
            return value.contains(Redaction.mark)
                ? nil : "\(item.name.swiftLiteral): \(value.swiftLiteral)"
        }
        return list.isEmpty ? "" : ".\(criterion)([\(list.joined(separator: ", "))])"
    }
}

extension String {
    /// The text as a Swift string literal, which is raw if only a raw literal needs no escapes.
    var swiftLiteral: String {
        // The compiler reads scalars, not characters, so it finds a `"#` in `"#️⃣`.
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
