import Foundation

/// What Foundation may do with a request whose connection is lost.
enum Repetition {
    /// Send it again, if it wants to.
    case allowed
    /// Nothing: the task fails.
    case refused
    /// The same, over a new connection, because this is the library's own second attempt.
    case refusedOnNewConnection
}

#if canImport(FoundationNetworking)
extension URLSession {
    /// Decides what Foundation may do with a request.
    ///
    /// If a kept-alive connection ends before the response, libcurl sends the request again, up to
    /// five times and whatever its method is (`Curl_retry_request`, in 7.88.1 and in August 2026).
    /// So a server may process a POST several times. And if two connections end, libcurl forgets
    /// the body that it has read: the request hangs, or an app's own stream arrives without its
    /// beginning. So libcurl sends such a request only once. If it may be repeated, the library
    /// sends it a second time itself.
    func repetition(of request: URLRequest, isResend: Bool) -> Repetition {
        let hasBody = request.httpBody?.isEmpty == false || request.httpBodyStream != nil
        guard hasBody || !request.mayBeRepeated(), configuration.usesStandardProtocol else {
            return .allowed
        }
        return isResend ? .refusedOnNewConnection : .refused
    }
}

extension URLSessionExchange {
    /// Lets libcurl send the request only once. Call it on the queue of the task, between the
    /// creation of its protocol and the start of the protocol.
    func refuseRepetition(of task: URLSessionTask) {
        guard repetition != .allowed else { return }
        Transfer(of: task)?.refuseRepetition(
            isOnNewConnection: repetition == .refusedOnNewConnection)
    }

    /// Does the same for a task that has no cache. Call it before `resume()`.
    ///
    /// `resume()` creates the protocol on the queue of the task, and adds the start of the protocol
    /// to that queue. So this checks on the queue, again and again, whether that has happened. With a
    /// cache, the protocol is created later: see `CancellationSafeCache`.
    func refuseRepetitionAtResume(of task: URLSessionTask) {
        guard repetition != .allowed, let queue = task.transferQueue else { return }
        @Sendable func look() {
            queue.async { [self] in
                task.state == .suspended ? look() : refuseRepetition(of: task)
            }
        }
        look()
    }

    /// Decides how the task ends whose request libcurl wanted to send again.
    func didRefuseRepetition() {
        let error = URLError(.networkConnectionLost)
        decide(mustResend(after: error, nil) ? .success(.resend) : .failure(error))
    }

    /// Whether the library sends the request again after an error of its first task: it may be
    /// repeated, has a body, and lost its connection before there was a response.
    func mustResend(after error: any Error, _ response: URLResponse?) -> Bool {
        repetition == .refused && request.mayBeRepeated() && response == nil
            && (error as? URLError)?.code == .networkConnectionLost
    }
}
#else
extension URLSession {
    func repetition(of request: URLRequest, isResend: Bool) -> Repetition { .allowed }
}

extension URLSessionExchange {
    func refuseRepetitionAtResume(of task: URLSessionTask) {}

    func mustResend(after error: any Error, _ response: URLResponse?) -> Bool { false }
}
#endif
