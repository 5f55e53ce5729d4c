/// Names and values, in order, for a query, a form, a path or headers.
///
/// A dictionary literal creates one and keeps its order. An initializer takes a dictionary that is
/// known only at run time:
///
///     try URLRequest("GET", base, path: "/books", query: ["author": ids, "page": 2])
///     // GET /books?author=7&author=9&page=2
///     try URLRequest("GET", base, path: "/books", query: RequestItems(filters))
///
/// | value | what is sent |
/// | --- | --- |
/// | nil | nothing: the name is left out |
/// | `""` | the name with an empty value: `q=` |
/// | an array | the name once for each element; nothing if it is empty |
/// | a Boolean | `true` or `false` |
/// | a number | its digits, never with an exponent: `0.0000001` |
/// | any other ``RequestValue`` | its `description` |
public struct RequestItems: Sendable, ExpressibleByDictionaryLiteral {
    /// A name and a value. A nil value leaves the item out.
    struct Item: Sendable {
        let name: String
        let value: (any RequestValue)?

        /// The value as it is sent: one string for each time that the name is sent.
        var texts: [String] {
            get throws {
                do {
                    return try value?._requestTexts ?? []
                } catch let error as RequestBuildingError {
                    throw RequestBuildingError("The value for", name, error.description)
                }
            }
        }
    }

    let items: [Item]

    /// Creates the items of a literal, in its order. A name may occur more than once.
    public init(dictionaryLiteral elements: (String, (any RequestValue)?)...) {
        items = elements.map { Item(name: $0, value: $1) }
    }

    /// Creates items from a dictionary, sorted by name, or from other pairs, in order.
    ///
    /// To use the query items of `URLComponents`, map them to pairs:
    ///
    ///     RequestItems(items.map { (key: $0.name, value: $0.value) })
    public init<Value: RequestValue>(_ pairs: some Sequence<(key: String, value: Value)>) {
        let ordered =
            pairs is [String: Value] ? pairs.sorted { $0.key < $1.key } : Array(pairs)
        items = ordered.map { Item(name: $0.key, value: $0.value) }
    }

    /// Returns each item that is sent, as a name and its value's text.
    package func texts() throws -> [(name: String, text: String)] {
        try items.flatMap { item in try item.texts.map { (item.name, $0) } }
    }

    /// Joins names and values with `=` and `&`. If no item is left, returns `""`.
    func encoded(as encoding: PercentEncoding) throws -> String {
        try texts().map { encoding.encode($0) + "=" + encoding.encode($1) }.joined(separator: "&")
    }
}
