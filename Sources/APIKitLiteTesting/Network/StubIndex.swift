/// The stubs of a network, found by method and path, the newest first.
///
/// A stub that the index leaves out cannot match, and none of its criteria is asked. What the index
/// gives may match: it knows of a template only which segments are names.
struct StubIndex: Sendable {
    private struct Node: Sendable {
        var literals: [String: Int] = [:]
        var wildcard: Int?
        /// The positions in `all`, ascending.
        var stubs: [Int] = []
    }

    /// All stubs, oldest first.
    private(set) var all: [Stub] = []
    /// Whether a matcher asks code of the user's.
    private(set) var hasPredicates = false
    private var nodes: [Node] = []
    /// The first node of each method; that of stubs for any method is under the empty name.
    private var roots: [String: Int] = [:]
    /// The positions of stubs without a path.
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

    /// The index without a stub; nothing changes where it is not in there.
    func removing(_ stub: Stub) -> StubIndex {
        var index = StubIndex()
        for other in all where other !== stub { index.add(other) }
        return index
    }

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

    /// The stubs that may match, the newest first, one at a time.
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

    /// Takes the newest from the ends of several lists.
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
