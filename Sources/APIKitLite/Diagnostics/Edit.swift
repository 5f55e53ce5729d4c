/// A replacement of a range of bytes.
struct Edit {
    let range: Range<Int>
    let replacement: [UInt8]

    /// Returns the bytes with the edits applied.
    ///
    /// - Parameters:
    ///   - edits: The edits, in order and without overlaps.
    ///   - bytes: The original bytes.
    static func apply(_ edits: [Edit], to bytes: [UInt8]) -> [UInt8] {
        apply(edits, to: bytes, in: 0..<bytes.count)
    }

    /// Returns a part of the bytes with the edits applied.
    ///
    /// - Parameters:
    ///   - edits: The edits, in order, without overlaps, and all inside the part.
    ///   - bytes: The original bytes.
    ///   - part: The part to return.
    static func apply(_ edits: [Edit], to bytes: [UInt8], in part: Range<Int>) -> [UInt8] {
        var result: [UInt8] = []
        var end = part.lowerBound
        for edit in edits {
            result += bytes[end..<edit.range.lowerBound]
            result += edit.replacement
            end = edit.range.upperBound
        }
        return result + bytes[end..<part.upperBound]
    }

    /// Returns the position of a range after the edits.
    ///
    /// If an edit overlaps the range, the result includes the whole replacement.
    ///
    /// - Parameters:
    ///   - range: A range of the original bytes.
    ///   - edits: The edits, in order and without overlaps.
    ///   - start: The beginning of the part that was returned; the result is relative to it.
    static func move(_ range: Range<Int>, along edits: [Edit], from start: Int) -> Range<Int> {
        var shift = -start
        var lower: Int?
        var upper: Int?
        for edit in edits {
            let start = edit.range.lowerBound + shift
            let change = edit.replacement.count - edit.range.count
            if lower == nil, range.lowerBound < edit.range.upperBound {
                lower = min(range.lowerBound + shift, start)
            }
            if upper == nil, range.upperBound <= edit.range.lowerBound {
                upper = range.upperBound + shift
            } else if upper == nil, range.upperBound <= edit.range.upperBound {
                upper = start + edit.replacement.count
            }
            shift += change
        }
        let newLower = lower ?? range.lowerBound + shift
        return newLower..<max(newLower, upper ?? range.upperBound + shift)
    }
}
