import Foundation

/// An object whose functions block a thread, used on a queue of its own.
///
/// A disk can block for seconds. On a thread of the Swift concurrency runtime, that would stop
/// other tasks.
final class BlockingWork<Object>: @unchecked Sendable {  // Only `queue` uses the object.
    private let queue: DispatchQueue
    private let object: Object

    /// Creates the object on a new queue.
    init(_ make: @escaping @Sendable () throws -> Object) async throws {
        let queue = DispatchQueue(label: "APIKitLite.BlockingWork")
        object = try await Self.run(on: queue) { Created(object: try make()) }.object
        self.queue = queue
    }

    /// Runs work with the object on the queue, and returns its result.
    func run<R: Sendable>(_ work: @escaping @Sendable (Object) throws -> R) async throws -> R {
        try await Self.run(on: queue) { [self] in try work(object) }
    }

    private static func run<R: Sendable>(
        on queue: DispatchQueue, _ work: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: work)) }
        }
    }

    private struct Created: @unchecked Sendable {  // It is handed over to one owner.
        let object: Object
    }
}
