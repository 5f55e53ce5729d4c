/// A piece of shared work in the graph that records which shared work waits for which other.
///
/// The refresh of a credential may use the same chain that waits for that refresh. It would then
/// wait for itself, directly or through other shared work, and no work of this cycle would ever
/// continue. So a wait that would close a cycle is refused.
final class WaitNode: Sendable {
    /// The shared work that this task is part of.
    @TaskLocal static var current: WaitNode?

    // The waits of all nodes. One lock is enough: only work inside other shared work uses it.
    private static let edges = Locked<[ObjectIdentifier: [WaitNode]]>([:])

    /// Records that this node waits for another one. If that would close a cycle, returns `nil`.
    func wait(for other: WaitNode) -> Wait? {
        Self.edges.withLock { edges in
            var seen: Set<ObjectIdentifier> = []
            var pending = [other]
            while let node = pending.popLast() {
                if node === self { return nil }
                guard seen.insert(ObjectIdentifier(node)).inserted else { continue }
                pending += edges[ObjectIdentifier(node)] ?? []
            }
            edges[ObjectIdentifier(self), default: []].append(other)
            return Wait(from: self, to: other)
        }
    }

    /// A recorded wait.
    struct Wait: Sendable {
        fileprivate let from: WaitNode
        fileprivate let to: WaitNode

        /// Removes the wait from the graph.
        func end() {
            edges.withLock { edges in
                let key = ObjectIdentifier(from)
                guard let index = edges[key]?.firstIndex(where: { $0 === to }) else { return }
                edges[key]?.remove(at: index)
                if edges[key]?.isEmpty == true { edges[key] = nil }
            }
        }
    }
}
