import APIKitLite

/// A fault of valid JSON that does not have the expected types.
enum JSONFault: Hashable, Sendable, CustomStringConvertible {
    case wrongTypes
    case wrongTopLevel
    case wrongType(at: String)
    case null(at: String)

    var description: String {
        switch self {
        case .wrongTypes: "every value of another type"
        case .wrongTopLevel: "object and array exchanged at the top"
        case .wrongType(let path): "another type at \(path)"
        case .null(let path): "null at \(path)"
        }
    }

    /// Returns the value with this fault; `nil` if nothing is at the path of the fault.
    func breaking(_ value: JSONValue) -> JSONValue? {
        switch self {
        case .wrongTypes: return value.withLeavesOfAnotherType
        case .wrongTopLevel:
            guard case .array = value else { return .array([value]) }
            return .object(["items": value])
        case .wrongType(let path): return value.replacing(path) { $0.ofAnotherType }
        case .null(let path): return value.replacing(path) { _ in .null }
        }
    }
}

extension JSONValue {
    /// The key path of every value in depth-first order, beginning with `$` for this value.
    var paths: [String] {
        var paths: [String] = []
        func visit(_ value: JSONValue, _ path: String) {
            paths.append(path)
            for (step, value) in value.children { visit(value, path + step) }
        }
        visit(self, "$")
        return paths
    }

    /// The members of an object or the elements of an array, with their steps in a key path.
    private var children: [(step: String, value: JSONValue)] {
        switch self {
        case .object(let members):
            members.sorted { $0.key < $1.key }.map { (JSONText.step($0.key), $0.value) }
        case .array(let elements): elements.enumerated().map { (JSONText.step($0), $1) }
        case .string, .number, .boolean, .null: []
        }
    }

    /// A value of another type in place of this one.
    fileprivate var ofAnotherType: JSONValue {
        switch self {
        case .object: .array([])
        case .array, .null: .object([:])
        case .string: .number("0")
        case .number(let digits): .string(digits)
        case .boolean(let value): .string("\(value)")
        }
    }

    /// This value with every value that contains no others replaced by one of another type.
    fileprivate var withLeavesOfAnotherType: JSONValue {
        switch self {
        case .object(let members) where !members.isEmpty:
            .object(members.mapValues(\.withLeavesOfAnotherType))
        case .array(let elements) where !elements.isEmpty:
            .array(elements.map(\.withLeavesOfAnotherType))
        case .object, .array, .string, .number, .boolean, .null: ofAnotherType
        }
    }

    /// Returns this value with a change at a key path; `nil` if nothing is at that path.
    fileprivate func replacing(_ path: String, _ change: (JSONValue) -> JSONValue) -> JSONValue? {
        var isFound = false
        func rebuilt(_ value: JSONValue, _ here: String) -> JSONValue {
            if here == path {
                isFound = true
                return change(value)
            }
            guard path.hasPrefix(here) else { return value }
            switch value {
            case .object(let members):
                let rebuilt = members.map { ($0, rebuilt($1, here + JSONText.step($0))) }
                return .object(Dictionary(uniqueKeysWithValues: rebuilt))
            case .array(let elements):
                return .array(
                    elements.enumerated().map { rebuilt($1, here + JSONText.step($0)) })
            case .string, .number, .boolean, .null: return value
            }
        }
        let result = rebuilt(self, "$")
        return isFound ? result : nil
    }
}
