/// Status codes that a request accepts: one code, such as `304`, or a range, such as `200..<300`.
public protocol StatusCodes: Sendable {
    /// The codes as a range.
    var statusCodes: Range<Int> { get }
}

extension Int: StatusCodes {
    /// The range of this one code.
    public var statusCodes: Range<Int> { (self...self).statusCodes }
}

extension Range: StatusCodes where Bound == Int {
    /// The range itself.
    public var statusCodes: Range<Int> { self }
}

extension ClosedRange: StatusCodes where Bound == Int {
    /// The same codes as a half-open range.
    public var statusCodes: Range<Int> {
        lowerBound..<(upperBound == .max ? .max : upperBound + 1)
    }
}
