import APIKitLite
import Foundation

/// The differences between two JSON values, each described with its key path.
///
/// For example: `$.user.age: expected 3, got 4`.
struct JSONDifference {
    /// How the actual value must relate to the expected value.
    enum Relation: Sendable {
        /// The values must be equal.
        case equal
        /// The values must be equal, but a mark such as `REDACTED-1` in an expected string matches
        /// any nonempty text, and an expected 0 matches any number with at least eight characters.
        case recorded
        /// The actual value must contain the expected value, but may have more keys in objects and
        /// more elements in arrays.
        case contained
    }

    private static let shownLines = 5

    private let relation: Relation
    private(set) var count = 0
    private var shown: [String] = []

    init(_ expected: JSONValue, _ relation: Relation, _ actual: JSONValue) {
        self.relation = relation
        compare(expected, actual, at: "$")
    }

    /// A line for each of the first five differences, and a line that counts any others.
    var lines: [String] {
        count > shown.count ? shown + ["and \(count - shown.count) more"] : shown
    }

    private mutating func add(_ line: @autoclosure () -> String) {
        count += 1
        if count <= Self.shownLines { shown.append(line()) }
    }

    private mutating func compare(_ expected: JSONValue?, _ actual: JSONValue?, at path: String) {
        switch (expected, actual) {
        case (nil, _) where relation == .contained: break
        case (.object(let expected), .object(let actual)):
            let others = actual.keys.filter { expected.value(of: $0) == nil }
            for key in (expected.keys + others).sorted() {
                compare(
                    expected.value(of: key), actual.value(of: key), at: path + JSONText.step(key))
            }
        case (.array(let expected), .array(let actual))
        where relation != .contained || expected.count == actual.count:
            // In arrays of equal length, only the element at the same index can match.
            for index in 0..<max(expected.count, actual.count) {
                compare(
                    expected.dropFirst(index).first, actual.dropFirst(index).first,
                    at: path + "[\(index)]")
            }
        case (.array(let expected), .array(let actual)):
            var tail = actual[...]
            for (index, element) in expected.enumerated() {
                if let found = tail.firstIndex(where: { element.matches($0, relation) }) {
                    tail = tail[found...].dropFirst()
                    continue
                }
                let order = index == 0 ? "" : " after the ones that matched"
                add("\(path): expected an element \(Self.shown(element))\(order), got none")
                break
            }
        case (let expected?, let actual?)
        where expected.isSameScalar(as: actual, marks: relation == .recorded):
            break
        default: add("\(path): expected \(Self.difference(expected, actual))")
        }
    }

    /// Describes two values that differ. Two different strings may look the same, for example
    /// because the strings are too long to show in full.
    private static func difference(_ expected: JSONValue?, _ actual: JSONValue?) -> String {
        let (wanted, got) = (shown(expected), shown(actual))
        if wanted != got { return "\(wanted), got \(got)" }
        guard case .string(let expected) = expected, case .string(let actual) = actual else {
            return "\(wanted), got another value"
        }
        // A character may have several Unicode forms, so compare scalars.
        let (old, new) = (expected.unicodeScalars, actual.unicodeScalars)
        guard old.count == new.count else {
            return "\(wanted) of \(old.count) characters, got one of \(new.count)"
        }
        let same = zip(old, new).prefix { $0 == $1 }.count
        return "\(wanted), got a string that differs after character \(same)"
    }

    private static func shown(_ value: JSONValue?) -> String {
        value?.compact.excerpt(limit: 60) ?? "nothing"
    }
}

extension JSONValue {
    /// Returns whether an actual value relates to this expected value as `relation` requires,
    /// without describing differences.
    func matches(_ actual: JSONValue, _ relation: JSONDifference.Relation) -> Bool {
        switch (self, actual) {
        case (.object(let expected), .object(let actual)):
            return (relation == .contained || expected.count == actual.count)
                && expected.allSatisfy { key, value in
                    actual.value(of: key).map { value.matches($0, relation) } ?? false
                }
        case (.array(let expected), .array(let actual)) where relation != .contained:
            return expected.count == actual.count
                && zip(expected, actual).allSatisfy { $0.matches($1, relation) }
        case (.array(let expected), .array(let actual)):
            var tail = actual[...]
            return expected.allSatisfy { element in
                let found = tail.firstIndex { element.matches($0, relation) }
                tail = found.map { tail[$0...].dropFirst() } ?? []
                return found != nil
            }
        default: return isSameScalar(as: actual, marks: relation == .recorded)
        }
    }
}
