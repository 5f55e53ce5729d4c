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
    private let redaction: Redaction
    /// Whether all differences are collected, with their texts. Otherwise, the first one ends the
    /// comparison.
    private let isExplaining: Bool
    private var lines: [String] = []

    private init(_ relation: Relation, redaction: Redaction = .none, isExplaining: Bool) {
        self.relation = relation
        self.redaction = redaction
        self.isExplaining = isExplaining
    }

    private var isDone: Bool { !isExplaining && !lines.isEmpty }

    private mutating func add(_ line: @autoclosure () -> String) {
        lines.append(isExplaining && lines.count < Self.shownLines ? line() : "")
    }

    /// Whether two values do not differ.
    static func isNone(_ expected: JSONValue, _ relation: Relation, _ actual: JSONValue) -> Bool {
        var difference = JSONDifference(relation, isExplaining: false)
        difference.compare(expected, actual, at: KeyPath(nil))
        return difference.lines.isEmpty
    }

    /// Returns a line for each of the first five differences, and a line that counts the others.
    /// Secrets are redacted.
    static func lines(
        _ expected: JSONValue, _ relation: Relation, _ actual: JSONValue, _ redaction: Redaction
    ) -> [String] {
        var difference = JSONDifference(relation, redaction: redaction, isExplaining: true)
        difference.compare(expected, actual, at: KeyPath(redaction))
        let lines = difference.lines
        let more = lines.count - shownLines
        return more > 0 ? lines.prefix(shownLines) + ["and \(more) more"] : lines
    }

    private mutating func compare(_ expected: JSONValue, _ actual: JSONValue, at path: KeyPath) {
        guard !isDone else { return }
        switch (expected, actual) {
        case (.object(let expected), .object(let actual)):
            for key in Set(expected.keys).union(actual.keys).sorted() {
                compare(expected[key], actual[key], at: path.adding(key, of: expected, actual))
            }
        case (.array(let expected), .array(let actual)) where relation == .equal:
            for index in 0..<max(expected.count, actual.count) {
                let pair = (expected.element(at: index), actual.element(at: index))
                compare(pair.0, pair.1, at: path + index)
            }
        case (.array(let expected), .array(let actual)):
            find(expected, in: actual, at: path)
        default:
            if !expected.isSameScalar(as: actual) { record(expected, actual, at: path) }
        }
    }

    private mutating func compare(_ expected: JSONValue?, _ actual: JSONValue?, at path: KeyPath) {
        if let expected, let actual {
            compare(expected, actual, at: path)
        } else if expected != nil || relation == .equal {
            record(expected, actual, at: path)
        }
    }

    /// Finds the expected elements in an array that may have more, in the same order.
    private mutating func find(
        _ expected: [JSONValue], in actual: [JSONValue], at path: KeyPath
    ) {
        var tail = actual[...]
        for (index, element) in expected.enumerated() {
            // A difference that is only counted is not searched for, so that the time stays linear.
            let isShown = !isExplaining || lines.count < Self.shownLines
            if isShown, let found = tail.firstIndex(where: { Self.isNone(element, relation, $0) }) {
                tail = tail[found...].dropFirst()
            } else if isExplaining, actual.count == expected.count {
                // With equal counts, only the element at the same index can match. It is compared
                // again only for an explanation: at each depth, a second comparison doubles the
                // work.
                let count = lines.count
                compare(element, actual[index], at: path + index)
                if lines.count == count { recordMissing(element, at: path) }
                tail = tail.dropFirst()
            } else {
                return recordMissing(element, at: path)
            }
        }
    }

    private mutating func recordMissing(_ element: JSONValue, at path: KeyPath) {
        add("\(path): \(path.shown(element)) is not in it, or not in that order")
    }

    private mutating func record(_ expected: JSONValue?, _ actual: JSONValue?, at path: KeyPath) {
        add(path.comparison(expected, actual))
    }
}

extension JSONDifference {
    /// The path to a value, with the names on it, which may mark a secret.
    private struct KeyPath: CustomStringConvertible {
        private(set) var description = "$"
        private var names: [String] = []
        /// The secrets to hide. Without it, the path is not recorded: a comparison without an
        /// explanation does not show it.
        private let redaction: Redaction?

        init(_ redaction: Redaction?) {
            self.redaction = redaction
        }

        /// Returns the path to the member of two objects that are compared.
        func adding(
            _ key: String, of expected: [String: JSONValue], _ actual: [String: JSONValue]
        ) -> KeyPath {
            guard let redaction else { return self }
            var path = self
            path.description += JSONText.step(redaction.text(key))
            let names = [expected, actual].map { redaction.name(of: key, in: $0) }
            path.names.append(names.first { $0 != key } ?? key)
            return path
        }

        static func + (path: KeyPath, index: Int) -> KeyPath {
            guard path.redaction != nil else { return path }
            var path = path
            path.description += JSONText.step(index)
            return path
        }

        func comparison(_ expected: JSONValue?, _ actual: JSONValue?) -> String {
            let (wanted, got) = (shown(expected), shown(actual))
            if wanted != got { return "\(self): expected \(wanted), got \(got)" }
            if let expected, let actual, got.contains(Redaction.mark) {
                return "\(self): \(HiddenDifference.text(expected: expected, actual: actual))"
            }
            return "\(self): expected another value than \(got)\(hint(expected, actual))"
        }

        /// Describes how two strings differ that are too long to be shown in full.
        private func hint(_ expected: JSONValue?, _ actual: JSONValue?) -> String {
            guard case .string(let expected) = expected, case .string(let actual) = actual else {
                return ""
            }
            guard expected.count == actual.count else {
                return ", of \(expected.count) characters, got \(actual.count)"
            }
            let same = zip(expected, actual).prefix { $0 == $1 }.count
            return ", the same up to character \(same)"
        }

        /// Returns a value as a text may show it.
        func shown(_ value: JSONValue?) -> String {
            guard let value else { return "nothing" }
            let redaction = redaction ?? .standard
            let name = names.last ?? ""
            let isInSecret = names.dropLast().contains { redaction.hides($0, nil, isKey: true) }
            let isLiteral = ["true", "false", "null"].contains(value.scalar)
            let isHidden = redaction.hides(name, value.scalar, isKey: true)
            if isHidden || isInSecret && !isLiteral { return Redaction.mark }
            return value.excerpt(limit: 60, redacting: redaction, named: name)
        }
    }
}

extension [JSONValue] {
    fileprivate func element(at index: Int) -> JSONValue? {
        indices.contains(index) ? self[index] : nil
    }
}
