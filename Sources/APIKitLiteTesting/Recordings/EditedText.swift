/// A text to edit, with the positions at which its pieces end.
struct EditedText {
    typealias Edit = (range: Range<Int>, text: String)

    var bytes: [UInt8]
    var ends: [Int] = []

    /// Replaces ranges, in order. If a piece ends inside a range, it then ends with the replacement.
    mutating func replace(_ edits: [Edit]) {
        if edits.isEmpty { return }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var newEnds: [Int] = []
        var position = 0
        for edit in edits {
            result += bytes[position..<edit.range.lowerBound]
            while newEnds.count < ends.count, ends[newEnds.count] <= edit.range.lowerBound {
                newEnds.append(result.count + ends[newEnds.count] - edit.range.lowerBound)
            }
            result += edit.text.utf8
            position = edit.range.upperBound
            while newEnds.count < ends.count, ends[newEnds.count] < position {
                newEnds.append(result.count)
            }
        }
        result += bytes[position...]
        newEnds += ends.dropFirst(newEnds.count).map { $0 + result.count - bytes.count }
        (bytes, ends) = (result, newEnds)
    }
}
