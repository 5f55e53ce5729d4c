import APIKitLite
import Foundation

extension RequestMatcher {
    /// Requires a body of exactly these bytes.
    public func body(_ data: Data) -> RequestMatcher {
        adding(data.isEmpty ? "no body" : "a body of \(byteCount(data.count))") { [isRecorded] in
            data.matches($0.body, marks: isRecorded)
        } or: { reading in
            guard !data.isEmpty, reading.body.count == data.count else {
                return .has(reading.bodyPlaceholder)
            }
            let offset = zip(reading.body, data).lazy.prefix { $0 == $1 }.count
            return .has("others, from byte \(offset) on")
        }
    }

    /// Requires a body that equals this JSON.
    ///
    /// The order of keys and the notation of numbers do not matter: `1` equals `1.0`. Arrays are
    /// compared in order. Integers are compared exactly, up to 38 digits. Other numbers are
    /// compared as `Double`, to about 17 digits. If a key is repeated, its last value counts.
    ///
    /// - Parameter text: The JSON text. Text that is not JSON is a configuration error.
    public func json(_ text: String) -> RequestMatcher {
        adding(.equal, text, of: ".json(_:)")
    }

    /// Requires a body that equals a value encoded as JSON.
    ///
    /// The value is encoded immediately. Bodies are compared as in `json(_:)`.
    ///
    /// - Parameters:
    ///   - value: The value. A `Data` value is used as JSON text. A value that cannot be encoded,
    ///     or `Data` that is not JSON, is a configuration error.
    ///   - encoder: An encoder with your strategies for dates or keys; by default, a new
    ///     `JSONEncoder`. Its output formatting does not matter.
    public func json(
        encoding value: some Encodable, encoder: JSONEncoder? = nil
    ) -> RequestMatcher {
        do {
            let data = try encodedBody(of: value, encoder)
            return adding(.equal, try JSONValue(data))
        } catch {
            return broken(
                ".json(encoding:) could not encode \(type(of: value)): \(error)")
        }
    }

    /// Requires a body that contains this JSON.
    ///
    /// An object may have more keys, at every depth. An array may have more elements if the
    /// expected elements occur in order: `[1, 2, 3]` contains `[1, 3]`. Everything else is compared
    /// as in `json(_:)`.
    ///
    /// - Parameter text: The JSON text. Text that is not JSON is a configuration error.
    public func json(containing text: String) -> RequestMatcher {
        adding(.contained, text, of: ".json(containing:)")
    }

    private func adding(
        _ relation: JSONDifference.Relation, _ text: String, of criterion: String
    ) -> RequestMatcher {
        do {
            return adding(relation, try JSONValue(Data(text.utf8)))
        } catch {
            return broken(
                "\(criterion) was given text that is not JSON: \(text.excerpt()) "
                    + "(\(JSONText.reason(error))) To require such a body, use .body(_:).")
        }
    }

    func adding(_ relation: JSONDifference.Relation, _ expected: JSONValue) -> RequestMatcher {
        adding(
            (relation == .contained ? "JSON containing " : "JSON ")
                + expected.compact.excerpt(limit: 80),
            readsBody: true
        ) { reading in
            guard case .success(let actual) = reading.json else { return false }
            return expected.matches(actual, relation)
        } or: { reading in
            switch reading.json {
            case nil: return .has("no body")
            case .failure(let failure):
                let body = reading.bodyPlaceholder
                return .has("\(body), which is not JSON: \(JSONText.reason(failure))")
            case .success(let actual):
                let difference = JSONDifference(expected, relation, actual)
                return MatchReport.Difference(
                    "it differs:", details: difference.lines, isNear: difference.count == 1)
            }
        }
    }
}
