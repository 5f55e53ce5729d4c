/// A query item or form field that has a name and no value.
///
///     query: ["archived": QueryFlag(), "page": 2]     // ?archived&page=2
public struct QueryFlag: CustomStringConvertible, Equatable, Sendable {
    /// Creates a flag. To leave the item out, pass nil instead.
    public init() {}

    /// The empty text, because a flag has no value.
    public var description: String { "" }
}
