/// A backtracking search for the values of a template that repeats a name, such as `{a}-{a}`.
///
/// The shortest value that fits the first occurrence of a name may not fit the next one. The search
/// then tries longer values.
struct TemplateSearch {
    /// A state of the search, on which alone the result of the remaining search depends.
    private struct Place: Hashable {
        let segment: Int
        let piece: Int
        let offset: Int
        /// The values, so far, of the names that occur more than once.
        let bound: [String: ArraySlice<Unicode.Scalar>]
    }

    private let segments: [[PathTemplate.Piece]]
    private let texts: [[Unicode.Scalar]]
    private let repeated: Set<String>
    private var values: [String: ArraySlice<Unicode.Scalar>] = [:]
    /// The states from which the search found no match.
    private var deadEnds: Set<Place> = []

    init(_ segments: [[PathTemplate.Piece]], _ texts: [[Unicode.Scalar]]) {
        self.segments = segments
        self.texts = texts
        var counts: [String: Int] = [:]
        for case .name(let name) in segments.joined() { counts[name, default: 0] += 1 }
        repeated = Set(counts.filter { $0.value > 1 }.keys)
    }

    /// Returns the value of each name, as short as possible from the left. If the template does not
    /// match, returns nil.
    mutating func found() -> [String: String]? {
        guard matches(0, 0, 0) else { return nil }
        return values.mapValues { String(String.UnicodeScalarView($0)) }
    }

    /// Whether the template matches from this position on. If so, `values` holds the values.
    private mutating func matches(_ segment: Int, _ piece: Int, _ offset: Int) -> Bool {
        guard segment < segments.count else { return true }
        let text = texts[segment]
        guard piece < segments[segment].count else {
            return offset == text.count && matches(segment + 1, 0, 0)
        }
        switch segments[segment][piece] {
        case .literal(let literal):
            let literal = Array(literal.unicodeScalars)
            guard text[offset...].starts(with: literal) else { return false }
            return matches(segment, piece + 1, offset + literal.count)
        case .name(let name):
            if let value = values[name] {
                guard text[offset...].starts(with: value) else { return false }
                return matches(segment, piece + 1, offset + value.count)
            }
            return finds(name, segment, piece, offset)
        }
    }

    /// Whether some value of the name leads to a match.
    private mutating func finds(_ name: String, _ segment: Int, _ piece: Int, _ offset: Int)
        -> Bool
    {
        let place = Place(
            segment: segment, piece: piece, offset: offset,
            bound: values.filter { repeated.contains($0.key) })
        guard !deadEnds.contains(place) else { return false }
        let text = texts[segment]
        for end in text.indices.dropFirst(offset).map({ $0 + 1 }) {
            values[name] = text[offset..<end]
            if matches(segment, piece + 1, end) { return true }
        }
        values[name] = nil
        deadEnds.insert(place)
        return false
    }
}
