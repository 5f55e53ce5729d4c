import APIKitLite
import Foundation

/// The `stub(…)` line that would answer a request, as Swift code to paste.
///
/// The line leaves secrets out. It then has fewer criteria, so that it still matches.
struct SuggestedStub {
    private let redaction: Redaction
    private(set) var code: String
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
        redaction = reading.redaction
        code = ""
        let matcher =
            methodAndPath(reading) + query(reading) + (body(reading) ?? "")
        let response = reading.method == "HEAD" ? ".status(200)" : #".json("{}")"#
        code = "network.stub(\(matcher), \(response))"
    }

    private mutating func methodAndPath(_ reading: RequestReading) -> String {
        var number = 0
        let segments = reading.segments.map { segment -> String in
            guard redaction.text(segment) != segment else { return segment }
            number += 1
            return number == 1 ? "{secret}" : "{secret\(number)}"
        }
        if number > 0 { secrets.append("a part of the path") }
        var path = "/" + segments.joined(separator: "/")
        // A template cannot express every path: its braces mark names.
        let template = try? PathTemplate(path)
        let isExpressible =
            template?.match(reading.segments[...]) != nil
            && (number > 0 || template?.names.isEmpty == true)
        let label = isExpressible || number > 0 ? "" : "exactly: "
        if !isExpressible {
            path = number == 0 ? reading.url.path : "/" + wildcards(reading.segments)
        }
        let short = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].contains(reading.method)
        return short && label.isEmpty
            ? ".\(reading.method.lowercased())(\(path.swiftLiteral))"
            : ".method(\(reading.method.swiftLiteral)).path(\(label)\(path.swiftLiteral))"
    }

    private func wildcards(_ segments: [String]) -> String {
        segments.indices.map { segments[$0].isEmpty ? "" : "{segment\($0)}" }
            .joined(separator: "/")
    }

    private mutating func query(_ reading: RequestReading) -> String {
        let items = shown(reading.query, "query item")
        return items.isEmpty ? "" : ".query([\(items)])"
    }

    private mutating func body(_ reading: RequestReading) -> String? {
        if case .success(let multipart) = reading.multipart { return parts(multipart.parts) }
        guard reading.body.count <= Self.longestBody else { return nil }
        if case .success(let json) = reading.json {
            var hidden: [String] = []
            guard let shown = json.withoutSecrets(redaction, &hidden) else {
                secrets += hidden
                return nil
            }
            secrets += hidden
            // An empty object or array would match every object or array.
            if !hidden.isEmpty, ["{}", "[]"].contains(shown.compact) { return nil }
            return ".json(\(hidden.isEmpty ? "" : "containing: ")\(shown.compact.swiftLiteral))"
        }
        guard !reading.body.isEmpty, let form = reading.shownForm else { return nil }
        let items = shown(form, "form field")
        return items.isEmpty ? nil : ".form([\(items)])"
    }

    private mutating func parts(_ parts: [MultipartBody.Part]) -> String {
        restCount += max(0, parts.count - Self.mostItems)
        return parts.prefix(Self.mostItems).compactMap { part -> String? in
            func isShown(_ text: String) -> Bool { redaction.text(text) == text }
            guard isShown(part.name), !part.isHidden(by: redaction) else {
                secrets.append("part \(redaction.text(part.name))")
                return nil
            }
            var arguments = [part.name.swiftLiteral]
            if let text = part.plainText(limit: Self.longestBody, redacting: redaction) {
                arguments.append("text: \(text.swiftLiteral)")
            } else {
                let type = mediaType(part.contentType)
                for (label, text) in [("fileName", part.fileName), ("contentType", type)] {
                    guard let text else { continue }
                    if isShown(text) {
                        arguments.append("\(label): \(text.swiftLiteral)")
                    } else {
                        secrets.append("the \(label) of part \(part.name)")
                    }
                }
            }
            return ".part(\(arguments.joined(separator: ", ")))"
        }.joined()
    }

    private mutating func shown(_ items: [NamedItem], _ noun: String) -> String {
        if items.count > Self.mostItems { restCount += items.count - Self.mostItems }
        let items = items.prefix(Self.mostItems)
        secrets += items.filter { $0.isSecret(redaction) }
            .map { "\(noun) \(redaction.text($0.name))" }
        return items.filter { !$0.isSecret(redaction) }
            .map { "\($0.name.swiftLiteral): \($0.value?.swiftLiteral ?? "nil")" }
            .joined(separator: ", ")
    }
}

extension JSONValue {
    /// Returns the value without its secret parts, or nil if the value itself is a secret. For
    /// `.json(containing:)`, the parts that are left out need not match.
    ///
    /// - Parameters:
    ///   - redaction: The secrets.
    ///   - hidden: Receives a description of each part that is left out.
    fileprivate func withoutSecrets(
        _ redaction: Redaction, _ hidden: inout [String]
    ) -> JSONValue? {
        switch self {
        case .object(let members):
            var shown: [String: JSONValue] = [:]
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                let shownKey = redaction.text(key)
                let name = redaction.name(of: key, in: members)
                if key != shownKey || redaction.hides(name, value.scalar, isKey: true) {
                    hidden.append("JSON key \(shownKey)")
                } else if redaction.shows(key), value.scalar != nil {
                    shown[key] = value
                } else {
                    shown[key] = value.withoutSecrets(redaction, &hidden)
                }
            }
            return .object(shown)
        case .array(let elements):
            return .array(elements.compactMap { $0.withoutSecrets(redaction, &hidden) })
        case .string(let text) where redaction.text(text) != text:
            hidden.append("a JSON string")
            return nil
        case .string, .number, .boolean, .null:
            return self
        }
    }
}

extension String {
    /// The text as a Swift string literal: plain, raw or with escapes, whichever is easiest to
    /// read.
    var swiftLiteral: String {
        let needsEscapes = unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
                true
            default: false
            }
        }
        if needsEscapes {
            return "\"" + unicodeScalars.map(\.swiftEscaped).joined() + "\""
        }
        // The compiler reads scalars. In `"#️⃣`, the mark is a part of another character.
        let scalars = unicodeScalars
        guard scalars.contains(where: { $0 == "\"" || $0 == "\\" }) else { return "\"\(self)\"" }
        var marks = "#"
        while scalars.contains("\"\(marks)".unicodeScalars)
            || scalars.contains("\\\(marks)".unicodeScalars)
        {
            marks += "#"
        }
        return "\(marks)\"\(self)\"\(marks)"
    }
}

extension Unicode.Scalar {
    /// The character inside a Swift string literal, escaped if necessary.
    fileprivate var swiftEscaped: String {
        switch self {
        case "\"", "\\": "\\\(self)"
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default:
            switch properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
                "\\u{\(String(value, radix: 16))}"
            default: "\(self)"
            }
        }
    }
}
