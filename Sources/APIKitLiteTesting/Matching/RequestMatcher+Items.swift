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

        func counts(in reading: RequestReading) -> ItemCounts? {
            self == .query ? reading.queryCounts : reading.formCounts
        }

        func difference(
            _ reading: RequestReading, _ shown: (ItemCounts) -> String
        ) -> MatchReport.Difference {
            let isShown = self == .query || reading.shownForm != nil
            let items = isShown ? counts(in: reading) : nil
            return .has(items.map(shown) ?? reading.bodyPlaceholder)
        }
    }

    func adding(_ source: ItemSource, exactly items: [NamedItem]) -> RequestMatcher {
        let counts = Dictionary(items.map { ($0, 1) }, uniquingKeysWith: +)
        @Sendable func others(_ reading: RequestReading) -> [NamedItem]? {
            var missing = counts
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
        var counts = Dictionary(items.map { ($0, 1) }, uniquingKeysWith: +)
        return items.reduce(into: self) { matcher, item in
            guard let count = counts.removeValue(forKey: item) else { return }
            let times = count > 1 ? " \(count) times" : ""
            matcher.add("\(source.noun) \(item.shown)\(times)") { reading in
                source.counts(in: reading).map { $0[item] >= count } ?? false
            } or: { reading in
                source.difference(reading) { actual in
                    let sameName = actual.named(item.name)
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
