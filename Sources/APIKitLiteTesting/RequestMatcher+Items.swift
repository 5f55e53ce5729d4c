import APIKitLite
import Foundation

extension RequestMatcher {
    /// Query items that must be there, in any order, among others.
    ///
    /// - Parameter items: Names and values, percent-decoded; nil stands for a name without a value
    ///   (`?archived`), which is not an empty one (`?archived=`). An item given twice must be there
    ///   twice.
    public func query(_ items: KeyValuePairs<String, String?>) -> RequestMatcher {
        adding(.query, items.map(NamedItem.init))
    }

    /// Query items that must be there, in any order, among others.
    // For a dictionary in a variable: a literal takes the other one, which can hold a name twice.
    @_disfavoredOverload
    public func query(_ items: [String: String]) -> RequestMatcher {
        adding(.query, items.sorted { $0.key < $1.key }.map { NamedItem(name: $0, value: $1) })
    }

    /// All the query items of the request, in any order.
    ///
    /// - Parameter items: As for `query(_:)`; `[:]` for no query.
    public func query(exactly items: KeyValuePairs<String, String?>) -> RequestMatcher {
        adding(.query, exactly: items.map(NamedItem.init))
    }

    /// Fields of a form (`application/x-www-form-urlencoded`) that must be in the body, in any
    /// order, among others.
    ///
    /// - Parameter fields: Names and values, decoded; nil stands for a name without a value. A
    ///   field given twice must be there twice.
    public func form(_ fields: KeyValuePairs<String, String?>) -> RequestMatcher {
        adding(.form, fields.map(NamedItem.init))
    }

    /// All the fields of a form in the body, in any order.
    ///
    /// - Parameter fields: As for `form(_:)`.
    public func form(exactly fields: KeyValuePairs<String, String?>) -> RequestMatcher {
        adding(.form, exactly: fields.map(NamedItem.init))
    }

    /// Where items are.
    enum ItemSource {
        case query, form

        var noun: String { self == .query ? "query" : "form field" }

        var plural: String { self == .query ? "query items" : "form fields" }

        func items(of reading: RequestReading) -> [NamedItem]? {
            self == .query ? reading.query : reading.form
        }

        func difference(
            _ reading: RequestReading, _ shown: ([NamedItem]) -> String
        ) -> MatchReport.Difference {
            let items = self == .query ? reading.query : reading.shownForm
            return .has(items.map(shown) ?? reading.bodyPlaceholder)
        }
    }

    func adding(_ source: ItemSource, exactly items: [NamedItem]) -> RequestMatcher {
        @Sendable func others(_ reading: RequestReading) -> [NamedItem]? {
            var missing = Dictionary(items.map { ($0, 1) }, uniquingKeysWith: +)
            return source.items(of: reading)?.filter { item in
                guard let count = missing[item], count > 0 else { return true }
                missing[item] = count - 1
                return false
            }
        }
        return adding(source, items).adding("no \(items.isEmpty ? "" : "other ")\(source.plural)") {
            others($0)?.isEmpty == true
        } or: { reading in
            source.difference(reading) { _ in others(reading)?.shown ?? "" }
        }
    }

    /// A criterion for each item, so that a report tells which of them is missing.
    private func adding(_ source: ItemSource, _ items: [NamedItem]) -> RequestMatcher {
        var added: Set<NamedItem> = []
        return items.reduce(self) { matcher, item in
            guard added.insert(item).inserted else { return matcher }
            let count = items.count { $0 == item }
            let times = count > 1 ? " \(count) times" : ""
            return matcher.adding("\(source.noun) \(item.shown)\(times)") { reading in
                guard let actual = source.items(of: reading) else { return false }
                return count == 1 ? actual.contains(item) : actual.count { $0 == item } >= count
            } or: { reading in
                source.difference(reading) { actual in
                    let sameName = actual.filter { $0.name == item.name }
                    if sameName.isEmpty { return "no \(item.shownName)" }
                    let isHidden = !sameName.contains(item) && sameName.shown == item.shown
                    return isHidden ? "another value" : sameName.shown
                }
            }
        }
    }
}

extension NamedItem {
    fileprivate init(_ pair: (key: String, value: String?)) {
        self.init(name: pair.key, value: pair.value)
    }
}
