/// An index of the stubs of a network by method and path. The lock of its `NetworkCore` owns it.
///
/// A stub that the index leaves out cannot match, and its criteria are not evaluated. A stub that
/// it finds may still not match: of a path template, the index knows only which segments have a
/// name.
struct StubIndex: Sendable {
    /// A node in a tree of path segments. Its children are indices in `nodes`.
    private struct Node: Sendable {
        /// The child for each segment without a name.
        var literals: [String: Int] = [:]
        /// The child for a segment with a name, which may match any text.
        var wildcard: Int?
        /// The positions in `all` of the stubs whose path ends here, ascending.
        var stubs: [Int] = []
    }

    /// All stubs, oldest first.
    private(set) var all: [Stub] = []
    /// Whether a matcher has a predicate, which is the user's code.
    private(set) var hasPredicates = false
    private var nodes: [Node] = []
    /// The first node of each method. Stubs for any method are under the empty name.
    private var roots: [String: Int] = [:]
    /// The positions in `all` of the stubs without a path, ascending.
    private var others: [Int] = []

    mutating func add(_ stub: Stub) {
        let key = stub.matcher.key
        if stub.matcher.hasPredicate { hasPredicates = true }
        if let path = key.path {
            let node = node(method: key.method ?? "", path)
            nodes[node].stubs.append(all.count)
        } else {
            others.append(all.count)
        }
        all.append(stub)
    }

    /// Returns the index without a stub. If the stub is not in the index, returns an equal index.
    func removing(_ stub: Stub) -> StubIndex {
        var index = StubIndex()
        for other in all where other !== stub { index.add(other) }
        return index
    }

    /// Returns the node of a path, and adds the nodes that are missing.
    private mutating func node(method: String, _ path: [String?]) -> Int {
        func added() -> Int {
            nodes.append(Node())
            return nodes.count - 1
        }
        var node = roots[method] ?? added()
        roots[method] = node
        for segment in path {
            let next: Int
            if let segment {
                next = nodes[node].literals[segment] ?? added()
                nodes[node].literals[segment] = next
            } else {
                next = nodes[node].wildcard ?? added()
                nodes[node].wildcard = next
            }
            node = next
        }
        return node
    }

    /// Returns the stubs that may match, the newest first. Each is found when it is asked for.
    func candidates(for reading: RequestReading) -> Candidates {
        var lists = others.isEmpty ? [] : [others[...]]
        guard !nodes.isEmpty else { return Candidates(all: all, lists: lists) }
        var reached: [Int] = []
        if let root = roots[reading.method] { reached.append(root) }
        if let root = roots[""] { reached.append(root) }
        for segment in reading.segments where !reached.isEmpty {
            var next: [Int] = []
            for node in reached {
                if let literal = nodes[node].literals[segment] { next.append(literal) }
                if let wildcard = nodes[node].wildcard { next.append(wildcard) }
            }
            reached = next
        }
        for node in reached where !nodes[node].stubs.isEmpty {
            lists.append(nodes[node].stubs[...])
        }
        return Candidates(all: all, lists: lists)
    }

    /// The stubs at several ascending lists of positions, merged so that the newest comes first.
    struct Candidates: Sequence, IteratorProtocol {
        fileprivate let all: [Stub]
        fileprivate var lists: [ArraySlice<Int>]

        mutating func next() -> Stub? {
            guard
                let newest = lists.indices.max(by: {
                    (lists[$0].last ?? -1) < (lists[$1].last ?? -1)
                }),
                let position = lists[newest].popLast()
            else { return nil }
            return all[position]
        }
    }
}
