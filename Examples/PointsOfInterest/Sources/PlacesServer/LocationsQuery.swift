import PointsOfInterest

/// What a client asks `/locations` for, checked.
struct LocationsQuery {
    let coordinate: Coordinate
    let limit: Int

    /// Reads `lat` and `long`, which must be there, and `limit`, which is 10 otherwise.
    ///
    /// - Throws: ``Refused``, which names the first parameter that is missing or wrong.
    init(_ query: [String: String]) throws(Refused) {
        coordinate = Coordinate(
            latitude: try Self.degrees(query, "lat", in: -90...90),
            longitude: try Self.degrees(query, "long", in: -180...180))
        let limit = query["limit"] ?? "10"
        guard let number = Int(limit), (1...100).contains(number) else {
            throw Refused("limit must be a whole number from 1 to 100, but is \"\(limit)\".")
        }
        self.limit = number
    }

    /// Why there is no answer.
    struct Refused: Error {
        let refusal: Refusal

        init(_ sentence: String) {
            refusal = Refusal(error: sentence)
        }
    }

    private static func degrees(
        _ query: [String: String], _ name: String, in range: ClosedRange<Double>
    ) throws(Refused) -> Double {
        if let text = query[name], let degrees = Double(text), range.contains(degrees) {
            return degrees
        }
        let actual = query[name].map { "\"\($0)\"" } ?? "missing"
        let limits = "\(Int(range.lowerBound)) to \(Int(range.upperBound))"
        throw Refused("\(name) must be a number of degrees from \(limits), but is \(actual).")
    }
}
