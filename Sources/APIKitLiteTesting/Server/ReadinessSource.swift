import Dispatch

/// A dispatch source that can be paused, and that can be cancelled and released in any state.
///
/// Use it on the queue of the dispatch source only.
final class ReadinessSource {
    private let source: any DispatchSourceProtocol
    private var isPaused = true
    private var isCancelled = false

    /// Creates a source that is paused.
    ///
    /// - Parameters:
    ///   - source: The dispatch source, which has not been activated.
    ///   - handler: Called on the source's queue whenever its socket is ready.
    ///   - onCancelled: Called there once, when the source does not use its descriptor any more.
    ///     The descriptor must not be closed before.
    init(
        _ source: any DispatchSourceProtocol, handler: @escaping @Sendable () -> Void,
        onCancelled: @escaping @Sendable () -> Void
    ) {
        self.source = source
        source.setEventHandler(handler: handler)
        source.setCancelHandler(handler: onCancelled)
    }

    /// Stops calling the handler. Does nothing if the source is paused or cancelled.
    func pause() {
        guard !isPaused, !isCancelled else { return }
        isPaused = true
        source.suspend()
    }

    /// Calls the handler again. Does nothing if the source is not paused, or is cancelled.
    func resume() {
        guard isPaused, !isCancelled else { return }
        isPaused = false
        source.resume()
    }

    /// Ends the source for good.
    func cancel() {
        guard !isCancelled else { return }
        source.cancel()
        // A suspended source never calls its cancel handler, and releasing it would crash.
        resume()
        isCancelled = true
    }
}
