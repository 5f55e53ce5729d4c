import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSession: HTTPSession {
    /// Sends a request and waits for the whole body. Redirects follow
    /// ``redirectedRequest(after:from:)``, at most 16 of them.
    ///
    /// - Throws: A `URLError`, `URLError.cancelled` when the task was cancelled;
    ///   ``NotAnHTTPResponse`` for an answer from another kind of URL.
    public func exchange(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        var request = request
        for _ in 0...redirectLimit {
            switch try await flight(of: request) {
            case .answer(let data, let response): return (data, response)
            // A stream has been read by now and cannot be sent again.
            case .redirect(let next) where next.httpBodyStream != nil:
                throw URLError(.requestBodyStreamExhausted)
            case .redirect(let next): request = next
            }
        }
        throw URLError(.httpTooManyRedirects)
    }

    // Not `data(for:)`: cancelled under a mock, it deadlocks every URLSession of the process on
    // Linux, because it resumes its continuation on the loading queue.
    private func flight(of request: URLRequest) async throws -> Landing {
        try Task.checkNotCancelled()
        let flight = Flight()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let delegate = FlightDelegate()
                let task = dataTask(with: request) { data, response, error in
                    // Called once by contract, also for a cancelled task: resumes exactly once.
                    flight.end()
                    continuation.resume(
                        with: Result {
                            switch delegate.ending {
                            case .tooManyRedirects: throw URLError(.httpTooManyRedirects)
                            case .refused(let response): return .answer(Data(), response)
                            case .redirect(let next): return .redirect(next)
                            case nil: break
                            }
                            if let error { throw originalError(of: error) }
                            guard let http = response as? HTTPURLResponse else {
                                throw NotAnHTTPResponse(url: request.url)
                            }
                            return .answer(data ?? Data(), http)
                        })
                }
                task.delegate = delegate
                flight.begin(task)
            }
        } onCancel: {
            flight.cancel()
        }
    }
}

private enum Landing {
    case answer(Data, HTTPURLResponse)
    case redirect(URLRequest)
}

/// One task in the air: whichever comes first of begin and cancel, it is resumed or cancelled.
private final class Flight: Sendable {
    private enum State {
        case waiting
        case flying(URLSessionDataTask)
        case over
    }

    private let state = Locked(State.waiting)

    func begin(_ task: URLSessionDataTask) {
        let mayStart = state.withLock {
            guard case .waiting = $0 else { return false }
            $0 = .flying(task)
            return true
        }
        if mayStart { task.resume() } else { task.cancel() }
    }

    func cancel() {
        let state = state.withLock { state in
            defer { state = .over }
            return state
        }
        if case .flying(let task) = state { task.cancel() }
    }

    func end() {
        state.withLock { $0 = .over }
    }
}
