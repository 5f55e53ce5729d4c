import APIKitLite

extension JSONValue {
    /// The key paths of this value, `$`, and of all values in it, in depth-first order.
    var paths: [String] {
        var paths: [String] = []
        _ = changed { (path, _) in
            paths.append(path)
            return nil
        }
        return paths
    }

    /// A replacement of another type for this value.
    var ofAnotherType: JSONValue {
        switch self {
        case .object: .array([])
        case .array, .null: .object([:])
        case .string: .number("0")
        case .number(let digits): .string(digits)
        case .boolean(let value): .string("\(value)")
        }
    }

    /// Returns this value with a change at a key path, or `nil` if there is nothing at that path.
    func replacing(_ path: String, _ change: (JSONValue) -> JSONValue) -> JSONValue? {
        guard paths.contains(path) else { return nil }
        return changed { (here, value) in here == path ? change(value) : nil }
    }

    /// Returns this value after replacing each value for which `change` does not return nil. Visits
    /// the values in depth-first order.
    private func changed(
        at path: String = "$", _ change: (String, JSONValue) -> JSONValue?
    ) -> JSONValue {
        if let changed = change(path, self) { return changed }
        switch self {
        case .object(var members):
            for key in members.keys.sorted() {
                members[key] = members[key]?.changed(at: path + JSONText.step(key), change)
            }
            return .object(members)
        case .array(let elements):
            return .array(
                elements.enumerated().map { $1.changed(at: path + "[\($0)]", change) })
        case .string, .number, .boolean, .null: return self
        }
    }
}
