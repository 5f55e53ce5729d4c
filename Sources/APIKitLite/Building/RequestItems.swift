import Foundation

/// Names and values, in order, for a query, a form, a path or headers.
///
/// A dictionary literal creates one and keeps its order. An initializer takes values that are known
/// only at run time:
///
///     try URLRequest("GET", base, path: "/books", query: ["author": ids, "page": 2])
///     // GET /books?author=7&author=9&page=2
///     try URLRequest("GET", base, path: "/books", query: .init(components.queryItems ?? []))
///
/// | value | what is sent |
/// | --- | --- |
/// | nil | nothing: the name is left out |
/// | ``QueryFlag`` | the name without `=` |
/// | `""` | the name with an empty value: `q=` |
/// | an array or another collection | the name once for each element; nothing if it is empty |
/// | a Boolean | `true` or `false` |
/// | anything else | its `description`, such as `1e-07` |
///
/// These values are errors when the request is built: a `Date` (choose a format, such as
/// `date.formatted(.iso8601)`), `Data`, a dictionary, a set, a list of lists, a number that is not
/// finite, and a value without a `description`.
public struct RequestItems: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    /// A name and a value; nil leaves the item out.
    package struct Item: Equatable, Sendable {
        package let name: String
        package let value: TextValue?

        init(_ name: String, _ value: Any?) {
            self.name = name
            self.value = TextValue(value)
        }
    }

    package let items: [Item]

    /// Creates the items of a literal, in its order. A name may occur more than once.
    ///
    /// - Parameter elements: The names and values.
    public init(dictionaryLiteral elements: (String, (any CustomStringConvertible)?)...) {
        items = elements.map { Item($0, $1) }
    }

    // A literal prefers this overload, which keeps its order, to the overload for a dictionary.
    /// Creates items from names and values in order.
    ///
    /// - Parameter pairs: The names and values.
    public init(_ pairs: KeyValuePairs<String, (any CustomStringConvertible)?>) {
        items = pairs.map { Item($0, $1) }
    }

    /// Creates items from query items, such as the query items of `URLComponents`.
    ///
    /// - Parameter items: The query items. As in `URLComponents`, an item whose value is nil is a
    ///   name without `=`.
    public init(_ items: [URLQueryItem]) {
        self.items = items.map { Item($0.name, $0.value as Any? ?? QueryFlag()) }
    }

    /// Creates items from a sequence of pairs, in its order.
    ///
    /// - Parameter pairs: The names and values, such as `zip(names, values)`. A value may be
    ///   optional, an array, or of any type with a `description`.
    public init<Value>(_ pairs: some Sequence<(String, Value)>) {
        items = pairs.map { Item($0, $1) }
    }

    /// Creates items from a dictionary, sorted by name, or from other keys and values, in order.
    ///
    /// - Parameter pairs: The names and values. A value may be optional, an array, or of any type
    ///   with a `description`.
    @_disfavoredOverload
    public init<Value>(_ pairs: some Sequence<(key: String, value: Value)>) {
        let isOrdered = !(pairs is [String: Value])
        let ordered = isOrdered ? Array(pairs) : pairs.sorted { $0.key < $1.key }
        items = ordered.map { Item($0.key, $0.value) }
    }
}

extension RequestItems {
    /// Returns a name and a text for each item that is sent. The text of a ``QueryFlag`` is nil.
    ///
    /// - Parameter substitute: The value of items whose value is nil. If it is nil too, they are
    ///   left out.
    /// - Throws: ``RequestBuildingError`` for the first value that cannot be sent.
    package func texts(
        nilAs substitute: TextValue? = nil
    ) throws -> [(name: String, text: String?)] {
        try items.flatMap { item in
            let texts = try (item.value ?? substitute)?.texts(name: item.name) ?? []
            return texts.map { (item.name, $0) }
        }
    }

    /// Joins names and values with `=` and `&`. If no item is left, returns `""`.
    ///
    /// - Throws: ``RequestBuildingError``, as `texts(nilAs:)` does.
    func encoded(as encoding: PercentEncoding) throws -> String {
        try texts().map { name, text in
            encoding.encode(name) + (text.map { "=" + encoding.encode($0) } ?? "")
        }.joined(separator: "&")
    }
}

/// A query item or form field that has a name and no value.
///
///     query: ["archived": QueryFlag(), "page": 2]     // ?archived&page=2
public struct QueryFlag: CustomStringConvertible, Equatable, Sendable {
    /// Creates a flag. To leave the item out, pass nil instead.
    public init() {}

    /// The empty text, because a flag has no value.
    public var description: String { "" }
}
