/// A query item or form field that has a name and no value.
///
///     query: ["archived": QueryFlag(), "page": 2]     // ?archived&page=2
public struct QueryFlag: CustomStringConvertible, Equatable, Sendable {
    /// A flag. To leave the item out, give nil instead.
    public init() {}

    /// Nothing: a flag has no value.
    public var description: String { "" }
}
