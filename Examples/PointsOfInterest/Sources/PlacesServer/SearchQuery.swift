import PointsOfInterest

/// The checked parameters of `GET /search`.
struct SearchQuery {
    let text: String
    let limit: Int
    /// The number of places on the pages before.
    let offset: Int

    /// Reads `q`, which is required, `limit`, which is 10 by default, and `cursor`, which a page
    /// before has named.
    ///
    /// - Throws: ``InvalidQuery``, which names the first parameter that is missing or wrong.
    init(_ query: [String: String]) throws(InvalidQuery) {
        guard let text = query["q"], text.contains(where: { !$0.isWhitespace }) else {
            throw InvalidQuery("q must be the text to look for, but is missing or blank.")
        }
        self.text = text
        limit = try pageSize(in: query)
        let cursor = query["cursor"] ?? "0"
        guard let offset = Int(cursor), offset >= 0 else {
            throw InvalidQuery("cursor must be the \"next\" of a page, but is \"\(cursor)\".")
        }
        self.offset = offset
    }

    /// Returns the page that is asked for.
    ///
    /// - Parameter found: Everything that the search finds, in a stable order.
    func page(of found: [PointOfInterest]) -> SearchPage {
        let rest = found.dropFirst(offset)
        return SearchPage(
            places: Array(rest.prefix(limit)),
            next: rest.count > limit ? String(offset + limit) : nil)
    }
}
