#if canImport(FoundationNetworking)
import Foundation

extension OperationQueue {
    /// Creates a serial delegate queue that avoids the cost of an operation for each callback.
    ///
    /// While `limit` callbacks are waiting or running, adding a callback blocks for up to 10 ms, so
    /// that Foundation receives data more slowly. A longer wait could delay a callback that calls
    /// Foundation, because that call waits for the thread that adds callbacks.
    ///
    /// - Parameter willAdd: Called before each callback is added, on the thread that adds it.
    package static func serial(
        label: String, limit: Int = .max, willAdd: (@Sendable () -> Void)? = nil
    ) -> OperationQueue {
        SerialQueue(label: label, limit: limit, willAdd: willAdd)
    }
}

private final class SerialQueue: OperationQueue, @unchecked Sendable {  // It has only constants.
    private let queue: DispatchQueue
    /// The count of callbacks that can still be added without a wait, or nil if there is no limit.
    private let slots: DispatchSemaphore?
    private let willAdd: (@Sendable () -> Void)?

    init(label: String, limit: Int, willAdd: (@Sendable () -> Void)?) {
        queue = DispatchQueue(label: label)
        self.willAdd = willAdd
        slots = limit < .max ? DispatchSemaphore(value: limit) : nil
        super.init()
        maxConcurrentOperationCount = 1
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        willAdd?()
        guard let slots else { return queue.async(execute: block) }
        let hasSlot = slots.wait(timeout: .now() + .milliseconds(10)) == .success
        queue.async {
            block()
            if hasSlot { slots.signal() }
        }
    }
}
#endif
