/// Why requests were not answered, for `verify()`: the first of them, and how many more there were.
struct UnansweredRequests {
    static let limit = 20

    private var first: [MockError] = []
    private(set) var count = 0

    mutating func add(_ failure: MockError) {
        count += 1
        if first.count < Self.limit { first.append(failure) }
    }

    var findings: [String] {
        let rest = count - first.count
        let more = rest == 1 ? "and 1 more request that was" : "and \(rest) more requests that were"
        return first.map(\.description) + (rest > 0 ? ["\(more) not answered."] : [])
    }
}
