import APIKitLite
import Foundation

extension RequestMatcher {
    /// Requires query items, in any order. Other items are allowed.
    ///
    /// As on most servers, a `+` in a URL means a space, and `%2B` means a plus sign.
    ///
    /// - Parameter items: The names and values, percent-decoded: see `RequestItems`. An array
    ///   requires the name once for each element, and nil requires nothing. An item that you list
    ///   twice must occur at least twice. A value that cannot be sent is a configuration error.
    ///   Wrap a dictionary variable in `RequestItems(dictionary)`.
    public func query(_ items: RequestItems) -> RequestMatcher {
        adding(items) { adding(.query, $0) }
    }

    /// Requires a query item, with or without a value. Other items are allowed.
    ///
    /// - Parameter name: The name of the item, percent-decoded.
    public func query(_ name: String) -> RequestMatcher {
        let shownName = NamedItem(name: name, value: nil).shown
        return adding("query \(shownName) with any value") { reading in
            reading.query.contains { $0.name.hasSameBytes(as: name) }
        } or: { _ in
            .has("no \(shownName)")
        }
    }

    /// Requires exactly these query items, in any order.
    ///
    /// - Parameter items: The names and values, as for `query(_:)`; `[:]` for no query.
    public func query(exactly items: RequestItems) -> RequestMatcher {
        adding(items) { adding(.query, exactly: $0) }
    }

    /// Requires these form fields (`application/x-www-form-urlencoded`) in the body, in any order.
    /// Other fields are allowed.
    ///
    /// - Parameter fields: The names and values, decoded, as for `query(_:)`.
    public func form(_ fields: RequestItems) -> RequestMatcher {
        adding(fields) { adding(.form, $0) }
    }

    /// Requires exactly these form fields in the body, in any order.
    ///
    /// - Parameter fields: The names and values, as for `form(_:)`.
    public func form(exactly fields: RequestItems) -> RequestMatcher {
        adding(fields) { adding(.form, exactly: $0) }
    }

    private func adding(
        _ items: RequestItems, _ add: ([NamedItem]) -> RequestMatcher
    ) -> RequestMatcher {
        do {
            return add(try items.texts().map { NamedItem(name: $0, value: $1) })
        } catch {
            return broken("\(error)")
        }
    }

    /// The part of a request that contains named items.
    enum ItemSource {
        case query, form

        var noun: String { self == .query ? "query" : "form field" }

        var plural: String { self == .query ? "query items" : "form fields" }

        func items(of reading: RequestReading) -> [NamedItem]? {
            self == .query ? reading.query : reading.form
        }
    }

    /// Returns the matcher with a criterion for each distinct item, and a criterion that rejects
    /// other items.
    func adding(_ source: ItemSource, exactly items: [NamedItem]) -> RequestMatcher {
        @Sendable func others(_ reading: RequestReading) -> [NamedItem]? {
            var missing = items
            return source.items(of: reading)?.filter { item in
                // Prefer an equal expected item, so that an expected item with a mark is left for
                // another item of the request.
                let match =
                    missing.firstIndex(of: item)
                    ?? missing.firstIndex { $0.accepts(item, marks: isRecorded) }
                if let match { missing.remove(at: match) }
                return match == nil
            }
        }
        let noun = "\(items.isEmpty ? "" : "other ")\(source.plural)"
        return adding(source, items).adding("no \(noun)", readsBody: source == .form) {
            others($0)?.isEmpty == true
        } or: {
            .has(others($0)?.firstFive(\.shown) ?? $0.bodyPlaceholder)
        }
    }

    /// Returns the matcher with a criterion for each distinct item, so that a report names the
    /// missing items.
    private func adding(_ source: ItemSource, _ items: [NamedItem]) -> RequestMatcher {
        var counts = Dictionary(items.map { ($0, 1) }, uniquingKeysWith: +)
        return items.reduce(into: self) { matcher, item in
            guard let count = counts.removeValue(forKey: item) else { return }
            let times = count > 1 ? " \(count) times" : ""
            let accepts: @Sendable (NamedItem) -> Bool = { [isRecorded] in
                item.accepts($0, marks: isRecorded)
            }
            // An item with a mark may accept other expected items too, so those items are also
            // counted.
            let least = items.count(where: accepts)
            matcher = matcher.adding(
                "\(source.noun) \(item.shown)\(times)", readsBody: source == .form
            ) { reading in
                source.items(of: reading).map { $0.count(where: accepts) >= least } ?? false
            } or: {
                .has(source.items(of: $0).map(item.difference) ?? $0.bodyPlaceholder)
            }
        }
    }
}

extension NamedItem {
    /// Describes those of a request's items that have the same name as this item.
    fileprivate func difference(from items: [NamedItem]) -> String {
        let actual = items.filter { $0.name.hasSameBytes(as: name) }
        if actual.isEmpty { return "no \(NamedItem(name: name, value: nil).shown)" }
        let shown = actual.firstFive(\.shown)
        if let value, value.contains("+"),
            actual.contains(NamedItem(name: name, value: value.replacing("+", with: " ")))
        {
            return shown + " (servers read + as a space; escape it as %2B)"
        }
        return shown
    }
}
