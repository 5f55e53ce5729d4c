/// The errors of requests that were not answered: the first of them, and the number of all. The
/// lock of its `NetworkCore` owns it.
struct UnansweredRequests {
    /// The number of errors that are kept.
    static let limit = 20

    private(set) var first: [MockError] = []
    private(set) var count = 0

    mutating func add(_ failure: MockError) {
        count += 1
        if first.count < Self.limit { first.append(failure) }
    }

    /// The texts for `verify()`. If there are more errors than the limit, the last text counts the
    /// others.
    var findings: [String] {
        let rest = count - first.count
        let more = rest == 1 ? "and 1 more request that was" : "and \(rest) more requests that were"
        return first.map(\.description) + (rest > 0 ? ["\(more) not answered."] : [])
    }
}
