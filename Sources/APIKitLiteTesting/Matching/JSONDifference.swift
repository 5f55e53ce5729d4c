import APIKitLite
import Foundation

/// Compares two JSON values, and describes each difference with its key path.
///
/// For example: `$.user.age: expected 3, got 4`.
struct JSONDifference {
    /// What the actual value must be.
    enum Relation: Sendable {
        /// The expected value.
        case equal
        /// A value that contains the expected one: objects may have more keys, arrays more
        /// elements.
        case contained
    }

    private static let shownLines = 5

    private let relation: Relation
    /// Whether to collect and describe all differences. If false, the comparison stops at the first
    /// one.
    private let isExplaining: Bool
    private var lines: [String] = []

    private init(_ relation: Relation, isExplaining: Bool) {
        self.relation = relation
        self.isExplaining = isExplaining
    }

    private var isDone: Bool { !isExplaining && !lines.isEmpty }

    private mutating func add(_ line: @autoclosure () -> String) {
        lines.append(isExplaining && lines.count < Self.shownLines ? line() : "")
    }

    /// Returns whether two values have no differences.
    static func isNone(_ expected: JSONValue, _ relation: Relation, _ actual: JSONValue) -> Bool {
        var difference = JSONDifference(relation, isExplaining: false)
        difference.compare(expected, actual, at: "")
        return difference.lines.isEmpty
    }

    static func count(_ expected: JSONValue, _ relation: Relation, _ actual: JSONValue) -> Int {
        all(expected, relation, actual).count
    }

    private static func all(
        _ expected: JSONValue, _ relation: Relation, _ actual: JSONValue
    ) -> [String] {
        var difference = JSONDifference(relation, isExplaining: true)
        difference.compare(expected, actual, at: "$")
        return difference.lines
    }

    /// Returns a line for each of the first five differences, and a line that counts the rest.
    static func lines(
        _ expected: JSONValue, _ relation: Relation, _ actual: JSONValue
    ) -> [String] {
        let lines = all(expected, relation, actual)
        let more = lines.count - shownLines
        return more > 0 ? lines.prefix(shownLines) + ["and \(more) more"] : lines
    }

    private mutating func compare(_ expected: JSONValue, _ actual: JSONValue, at path: String) {
        guard !isDone else { return }
        switch (expected, actual) {
        case (.object(let expected), .object(let actual)):
            for key in Set(expected.keys).union(actual.keys).sorted() {
                compare(expected[key], actual[key], at: adding(JSONText.step(key), to: path))
            }
        case (.array(let expected), .array(let actual)) where relation == .equal:
            for index in 0..<max(expected.count, actual.count) {
                let pair = (expected.element(at: index), actual.element(at: index))
                compare(pair.0, pair.1, at: adding(JSONText.step(index), to: path))
            }
        case (.array(let expected), .array(let actual)):
            find(expected, in: actual, at: path)
        default:
            if !expected.isSameScalar(as: actual) { record(expected, actual, at: path) }
        }
    }

    private mutating func compare(_ expected: JSONValue?, _ actual: JSONValue?, at path: String) {
        if let expected, let actual {
            compare(expected, actual, at: path)
        } else if expected != nil || relation == .equal {
            record(expected, actual, at: path)
        }
    }

    /// Finds the expected elements, in order, in an array that may have more.
    private mutating func find(
        _ expected: [JSONValue], in actual: [JSONValue], at path: String
    ) {
        var tail = actual[...]
        for (index, element) in expected.enumerated() {
            // Once enough lines are collected, differences are only counted, without a search, so
            // that the time stays linear.
            let isShown = !isExplaining || lines.count < Self.shownLines
            if isShown, let found = tail.firstIndex(where: { Self.isNone(element, relation, $0) }) {
                tail = tail[found...].dropFirst()
            } else if isExplaining, actual.count == expected.count {
                // With equal counts, only the element at the same index can match. Comparing it
                // again doubles the work at each depth, so this happens only for an explanation.
                let count = lines.count
                compare(element, actual[index], at: adding(JSONText.step(index), to: path))
                if lines.count == count { recordMissing(element, at: path) }
                tail = tail.dropFirst()
            } else {
                return recordMissing(element, at: path)
            }
        }
    }

    private mutating func recordMissing(_ element: JSONValue, at path: String) {
        add("\(path): \(Self.shown(element)) is not in it, or not in that order")
    }

    private mutating func record(_ expected: JSONValue?, _ actual: JSONValue?, at path: String) {
        let (wanted, got) = (Self.shown(expected), Self.shown(actual))
        add(
            wanted != got
                ? "\(path): expected \(wanted), got \(got)"
                : "\(path): expected another value than \(got)\(Self.hint(expected, actual))")
    }

    /// Returns the path to a member, or the path unchanged if no explanation is needed.
    private func adding(_ step: @autoclosure () -> String, to path: String) -> String {
        isExplaining ? path + step() : path
    }

    /// Describes the difference between two strings that are too long to show in full.
    private static func hint(_ expected: JSONValue?, _ actual: JSONValue?) -> String {
        guard case .string(let expected) = expected, case .string(let actual) = actual else {
            return ""
        }
        guard expected.count == actual.count else {
            return ", of \(expected.count) characters, got \(actual.count)"
        }
        let same = zip(expected, actual).prefix { $0 == $1 }.count
        return ", the same up to character \(same)"
    }

    private static func shown(_ value: JSONValue?) -> String {
        value?.excerpt(limit: 60) ?? "nothing"
    }
}

extension [JSONValue] {
    fileprivate func element(at index: Int) -> JSONValue? {
        indices.contains(index) ? self[index] : nil
    }
}
