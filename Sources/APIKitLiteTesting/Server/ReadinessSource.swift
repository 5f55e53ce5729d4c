import Dispatch

/// A dispatch source that can be paused, and that can be let go of in any state.
final class ReadinessSource {
    private let source: any DispatchSourceProtocol
    private var isPaused = true
    private var isCancelled = false

    /// Paused at first.
    ///
    /// - Parameters:
    ///   - handler: Called on the source's queue whenever its socket is ready.
    ///   - onCancelled: Called there once, when the source has let go of its descriptor; not before
    ///     may that be closed.
    init(
        _ source: any DispatchSourceProtocol, handler: @escaping @Sendable () -> Void,
        onCancelled: @escaping @Sendable () -> Void
    ) {
        self.source = source
        source.setEventHandler(handler: handler)
        source.setCancelHandler(handler: onCancelled)
    }

    func pause() {
        guard !isPaused, !isCancelled else { return }
        isPaused = true
        source.suspend()
    }

    func resume() {
        guard isPaused, !isCancelled else { return }
        isPaused = false
        source.resume()
    }

    func cancel() {
        guard !isCancelled else { return }
        source.cancel()
        // A suspended source never calls its cancel handler, and releasing one is a crash.
        resume()
        isCancelled = true
    }
}
