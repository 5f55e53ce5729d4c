/// Bytes to be put in place of others.
struct Edit {
    let range: Range<Int>
    let replacement: [UInt8]

    /// The bytes with the edits made, which are in order and do not overlap.
    static func apply(_ edits: [Edit], to bytes: [UInt8]) -> [UInt8] {
        apply(edits, to: bytes, in: 0..<bytes.count)
    }

    /// A part of the bytes with the edits made, which lie in it.
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

    /// Where a range stands after the edits, in the part that begins there. One that was cut into
    /// covers the replacement.
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
