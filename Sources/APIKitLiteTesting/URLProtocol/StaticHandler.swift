import APIKitLite
import Foundation

/// A closure that was set as `MockURLProtocol.requestHandler`, and its network.
///
/// The closure is called for one request at a time, in order, so the variables that it captures
/// need no lock. A request belongs to the closure that was set when the request arrived, even if
/// another closure has been set since. When a closure is cleared, the requests waiting for it fail.
final class StaticHandler: Sendable {
    typealias Function = (URLRequest) throws -> (URLResponse, Data?)

    private struct State: @unchecked Sendable {  // Calls of the function never overlap.
        /// The closure; nil if none was set, or once it is cleared. Nothing else keeps the closure,
        /// so clearing it releases its captures.
        var function: Function?
        /// The number of requests that have arrived.
        var requestCount = 0
        /// The number of requests whose turn is over. This value is also the number of the request
        /// whose turn it is, counted from 0.
        var endedCount = 0
    }

    private let state: Monitor<State>
    let core: NetworkCore

    private init(_ function: Function?) {
        let state = Monitor(State(function: function))
        self.state = state
        core = NetworkCore(clock: nil) { Self.reply(to: $0, state) }
    }

    private static let shared = Locked(StaticHandler(nil))

    /// The handler that was set last, which may have been cleared.
    static var current: StaticHandler { shared.withLock { $0 } }

    /// Replaces the handler, or clears it.
    static func set(_ function: Function?) {
        if let function {
            var handler = StaticHandler(function)
            // Now `handler` is the old handler, so its closure is released outside the lock.
            shared.withLock { swap(&$0, &handler) }
        } else {
            _ = current.state.update { $0.function.take() }
        }
    }

    /// The closure; nil if there is none.
    var function: Function? { state.value.function }

    private static func reply(to request: URLRequest, _ state: Monitor<State>) -> Reply {
        let number = state.withLock { state in
            defer { state.requestCount += 1 }
            return state.function == nil ? nil : state.requestCount
        }
        guard let number else { return .now(.failure(MockError.noHandler(request).written())) }
        return Reply(from: { try await respond(to: $0, number, state) }, to: request)
    }

    /// Calls the closure when the turns of all earlier requests are over.
    private static func respond(
        to request: URLRequest, _ number: Int, _ state: Monitor<State>
    ) async throws -> (URLResponse, Data?) {
        // A cancelled request also waits for its turn. Otherwise another request could take that
        // turn.
        await state.waitEvenIfCancelled { $0.function == nil || $0.endedCount == number }
        defer { state.update { $0.endedCount += 1 } }
        try Task.checkCancellation()
        guard let function = state.value.function else {
            throw MockError.handlerCleared(request).written()
        }
        return try function(request)
    }
}

extension MockError {
    /// Writes the error to standard error, and returns it. Otherwise, a test may not show this
    /// error: `verify()` does not report it, and many apps replace errors with their own.
    fileprivate func written() -> MockError {
        writeToStandardError("APIKitLiteTesting: \(self)\n")
        return self
    }

    fileprivate static func noHandler(_ request: URLRequest) -> MockError {
        MockError(
            """
            MockURLProtocol received \(request.line(redacting: .none)), but no handler is set. \
            Set MockURLProtocol.requestHandler before the request is made.
            """)
    }

    fileprivate static func handlerCleared(_ request: URLRequest) -> MockError {
        MockError(
            """
            \(request.line(redacting: .none)) was refused: its MockURLProtocol.requestHandler \
            was set to nil before it was called. Wait for every request before a test ends, or give \
            each test a MockNetwork of its own.
            """)
    }
}
