import APIKitLite
import Foundation

extension RequestMatcher {
    /// A body of exactly these bytes.
    public func body(_ data: Data) -> RequestMatcher {
        let size = "\(data.count) \(data.count == 1 ? "byte" : "bytes")"
        return adding(data.isEmpty ? "no body" : "a body of \(size)") {
            $0.body == data
        } or: { reading in
            guard !data.isEmpty, reading.body.count == data.count else {
                return .has(reading.bodyPlaceholder)
            }
            let offset = zip(reading.body, data).prefix { $0 == $1 }.count
            return .has("others, from byte \(offset) on")
        }
    }

    /// A body that says the same as a JSON text.
    ///
    /// The order of keys does not count, nor how a number is written: `1` equals `1.0`. Arrays are
    /// compared in order. Whole numbers are compared to the last digit; others as `Double` holds
    /// them, to about 17 digits, so that `1e-400` equals `0.0`. Powers of ten beyond 2⁶² count as
    /// they are written: `1e5000000000000000000` is not `10e4999999999999999999`.
    public func json(_ text: String) -> RequestMatcher {
        adding(.equal, text, of: ".json(_:)")
    }

    /// A body that says the same as a value's JSON.
    ///
    /// The value is encoded at once, under the rules of `json(_:)`.
    ///
    /// - Parameters:
    ///   - value: What to encode.
    ///   - encoder: For other dates or keys; its format does not count.
    public func json(
        encoding value: some Encodable, encoder: JSONEncoder? = nil
    ) -> RequestMatcher {
        do {
            let data = try (encoder ?? JSONEncoder()).encode(value)
            return adding(.equal, try JSONValue(data))
        } catch {
            return broken(
                ".json(encoding:) could not encode \(type(of: value)): \(error)")
        }
    }

    /// A body that says at least what a JSON text says.
    ///
    /// An object may have more keys, at every depth. An array may have more elements: each expected
    /// one is found in order, `[1, 3]` in `[1, 2, 3]`. The rest is compared as `json(_:)` does.
    public func json(containing text: String) -> RequestMatcher {
        adding(.contained, text, of: ".json(containing:)")
    }

    private func adding(
        _ relation: JSONDifference.Relation, _ text: String, of criterion: String
    ) -> RequestMatcher {
        do {
            return adding(relation, try JSONValue(text.utf8))
        } catch {
            return broken("\(criterion) was given text that is not JSON: \(error.sentence)")
        }
    }

    func adding(_ relation: JSONDifference.Relation, _ expected: JSONValue) -> RequestMatcher {
        let shown = expected.excerpt(limit: 80)
        let description = relation == .equal ? "JSON \(shown)" : "JSON containing \(shown)"
        return adding(description) { reading in
            guard case .success(let actual) = reading.json else { return false }
            return JSONDifference.isNone(expected, relation, actual)
        } or: { reading in
            switch reading.json {
            case nil: return .has("no body")
            case .failure(let failure):
                let body = reading.bodyPlaceholder
                return .has("\(body), which is not JSON: \(failure.sentence)")
            case .success(let actual):
                let lines = JSONDifference.lines(expected, relation, actual)
                return MatchReport.Difference("it differs:", details: lines)
            }
        }
    }
}

extension JSONText.Failure {
    /// Where and why, without any of the text.
    fileprivate var sentence: String {
        switch self {
        case .truncated(let index): "it ends too early, at byte \(index)."
        case .unexpected(let index): "byte \(index) cannot stand there."
        case .tooDeep(let index): "it is nested too deep, at byte \(index)."
        case .notUTF8: "it is not UTF-8."
        }
    }
}
