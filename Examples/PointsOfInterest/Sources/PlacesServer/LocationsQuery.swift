import PointsOfInterest

/// The checked parameters of `GET /locations`.
struct LocationsQuery {
    let coordinate: Coordinate
    let limit: Int

    /// Reads `lat` and `long`, which are required, and `limit`, which is 10 by default.
    ///
    /// - Throws: ``InvalidQuery``, which names the first parameter that is missing or wrong.
    init(_ query: [String: String]) throws(InvalidQuery) {
        coordinate = Coordinate(
            latitude: try Self.degrees(query, "lat", in: -90...90),
            longitude: try Self.degrees(query, "long", in: -180...180))
        limit = try pageSize(in: query)
    }

    private static func degrees(
        _ query: [String: String], _ name: String, in range: ClosedRange<Double>
    ) throws(InvalidQuery) -> Double {
        if let text = query[name], let degrees = Double(text), range.contains(degrees) {
            return degrees
        }
        let actual = query[name].map { "\"\($0)\"" } ?? "missing"
        let limits = "\(Int(range.lowerBound)) to \(Int(range.upperBound))"
        throw InvalidQuery("\(name) must be a number of degrees from \(limits), but is \(actual).")
    }
}

/// Reads `limit`, which is 10 by default.
func pageSize(in query: [String: String]) throws(InvalidQuery) -> Int {
    let text = query["limit"] ?? "10"
    guard let limit = Int(text), (1...100).contains(limit) else {
        throw InvalidQuery("limit must be a whole number from 1 to 100, but is \"\(text)\".")
    }
    return limit
}

/// The reason why the server refuses a query.
struct InvalidQuery: Error {
    let refusal: Refusal

    init(_ sentence: String) {
        refusal = Refusal(error: sentence)
    }
}
