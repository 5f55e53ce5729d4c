/// A node in the graph of which shared work waits for which.
///
/// The refresh of a credential may go over the very chain that waits for it, and so come to wait for
/// itself, also in a circle of several. None of its members would ever go on, so the circle is
/// recognized before it closes.
final class WaitNode: Sendable {
    /// The shared work that this task does a part of.
    @TaskLocal static var current: WaitNode?

    // One for all nodes, and seldom used: only work inside of other shared work has edges.
    private static let edges = Locked<[ObjectIdentifier: [WaitNode]]>([:])

    /// Records that this waits for another node. Returns `nil` if that would close a circle.
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
