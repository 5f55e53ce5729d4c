import APIKitLite
import Foundation

/// Compares JSON values and names what differs by its key path: `$.user.age: expected 3, got 4`.
struct JSONDifference {
    enum Relation: Sendable {
        case equal
        /// The actual value says at least what the expected one says.
        case contained
    }

    private static let shownLines = 5

    private let relation: Relation
    /// Whether every difference is wanted, with its text; else the first is enough.
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

    static func isNone(_ expected: JSONValue, _ relation: Relation, _ actual: JSONValue) -> Bool {
        var difference = JSONDifference(relation, isExplaining: false)
        difference.compare(expected, actual, at: KeyPath(isKept: false))
        return difference.lines.isEmpty
    }

    /// A line for each difference, the first five of them. Secrets are redacted.
    static func lines(
        _ expected: JSONValue, _ relation: Relation, _ actual: JSONValue
    ) -> [String] {
        var difference = JSONDifference(relation, isExplaining: true)
        difference.compare(expected, actual, at: KeyPath(isKept: true))
        let lines = difference.lines
        let more = lines.count - shownLines
        return more > 0 ? lines.prefix(shownLines) + ["and \(more) more"] : lines
    }

    private mutating func compare(_ expected: JSONValue, _ actual: JSONValue, at path: KeyPath) {
        guard !isDone else { return }
        switch (expected, actual) {
        case (.object(let expected), .object(let actual)):
            compare(expected, actual, at: path)
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

    /// Both are sorted. Of repeated keys the last counts, as most parsers have it.
    private mutating func compare(
        _ expected: [JSONValue.Member], _ actual: [JSONValue.Member], at path: KeyPath
    ) {
        var expected = expected[...]
        var actual = actual[...]
        while !isDone {
            let key: String
            switch (expected.first?.key, actual.first?.key) {
            case (nil, nil): return
            case (let one?, nil), (nil, let one?): key = one
            case (let one?, let other?):
                key = other.utf8.lexicographicallyPrecedes(one.utf8) ? other : one
            }
            compare(expected.take(key), actual.take(key), at: path + key)
        }
    }

    private mutating func find(
        _ expected: [JSONValue], in actual: [JSONValue], at path: KeyPath
    ) {
        var rest = actual[...]
        for (index, element) in expected.enumerated() {
            // Of those that are only counted none is searched for, so that the time stays linear.
            let isShown = !isExplaining || lines.count < Self.shownLines
            if isShown, let found = rest.firstIndex(where: { Self.isNone(element, relation, $0) }) {
                rest = rest[found...].dropFirst()
            } else if isExplaining, actual.count == expected.count {
                // None may be left over, so this is the one that was meant. Only to explain it:
                // at each depth, a second look would double the work.
                let count = lines.count
                compare(element, actual[index], at: path + index)
                if lines.count == count { recordMissing(element, at: path) }
                rest = rest.dropFirst()
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
    /// The way to a value, and whether a secret's name is on it.
    private struct KeyPath: CustomStringConvertible {
        private(set) var description = "$"
        private var secrecy = Secrecy.none
        /// Nobody reads the way to a difference that is not shown.
        private let isKept: Bool

        init(isKept: Bool) {
            self.isKept = isKept
        }

        static func + (path: KeyPath, key: String) -> KeyPath {
            guard path.isKept else { return path }
            var path = path
            path.description += JSONPath.step(Redaction.standard.text(key))
            path.secrecy = max(path.secrecy, Redaction.standard.secrecy(of: key, in: .key))
            return path
        }

        static func + (path: KeyPath, index: Int) -> KeyPath {
            guard path.isKept else { return path }
            var path = path
            path.description += JSONPath.step(index)
            return path
        }

        func comparison(_ expected: JSONValue?, _ actual: JSONValue?) -> String {
            let (wanted, got) = (shown(expected), shown(actual))
            return wanted == got
                ? "\(self): expected another value than \(got)\(hint(expected, actual))"
                : "\(self): expected \(wanted), got \(got)"
        }

        /// How two texts differ that must not be shown, or are too long for it.
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

        func shown(_ value: JSONValue?) -> String {
            guard let value else { return "nothing" }
            switch (value, secrecy) {
            case (.null, _), (.boolean, _), (_, .none): return value.excerpt(limit: 60)
            case (.string(let text), .byValue):
                let isSecret = SecretName.looksLikeToken(text.utf8)
                return isSecret ? Redaction.mark : value.excerpt(limit: 60)
            case (_, .byValue): return value.excerpt(limit: 60)
            case (_, .always): return Redaction.mark
            }
        }
    }
}

extension JSONValue {
    fileprivate func isSameScalar(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.string(let text), .string(let other)): text.utf8.elementsEqual(other.utf8)
        case (.number(let text), .number(let other)):
            text == other || JSONNumber(text).isEqual(to: JSONNumber(other))
        case (.boolean(let value), .boolean(let other)): value == other
        case (.null, .null): true
        default: false
        }
    }
}

extension [JSONValue] {
    fileprivate func element(at index: Int) -> JSONValue? {
        indices.contains(index) ? self[index] : nil
    }
}

extension ArraySlice<JSONValue.Member> {
    /// Removes all members of this key from the front, and gives the last one's value.
    fileprivate mutating func take(_ key: String) -> JSONValue? {
        var value: JSONValue?
        while let member = first, member.key.utf8.elementsEqual(key.utf8) {
            value = member.value
            removeFirst()
        }
        return value
    }
}
