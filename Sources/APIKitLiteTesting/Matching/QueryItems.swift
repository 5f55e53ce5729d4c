/// Returns the items of a query or a form as they are written. An item without `=` has no value.
func queryItems<Text: Collection<UInt8>>(
    _ text: Text
) -> [(name: Text.SubSequence, value: Text.SubSequence?)] {
    text.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { item in
        guard let mark = item.firstIndex(of: UInt8(ascii: "=")) else { return (item, nil) }
        return (item[..<mark], item[mark...].dropFirst())
    }
}
