/// An optional. A cast to this finds out whether a generic value or type is one.
protocol AnyOptional {
    static var empty: Any { get }
    var isNil: Bool { get }
}

extension Optional: AnyOptional {
    static var empty: Any { Self.none as Any }
    var isNil: Bool { self == nil }
}
