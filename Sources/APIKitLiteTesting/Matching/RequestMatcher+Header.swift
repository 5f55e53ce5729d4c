extension RequestMatcher {
    /// Requires a header.
    ///
    /// - Parameters:
    ///   - name: The name of the header, in any case (RFC 9110, section 5.1).
    ///   - value: The whole value, which is case-sensitive; nil for any value.
    public func header(_ name: String, _ value: String? = nil) -> RequestMatcher {
        adding("header " + (value.map { "\(name): \($0)" } ?? name)) { reading in
            let actual = reading.header(name)
            return value.map { $0.hasSameBytes(as: actual) } ?? (actual != nil)
        } or: { reading in
            let actual = reading.header(name)
            return .has(actual.map { "\(name): \($0)" } ?? "no \(name)")
        }
    }
}
