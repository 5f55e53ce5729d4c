import Foundation

#if canImport(FoundationNetworking)
extension URLSessionExchange {
    /// Whether Foundation may send the request again after it loses its connection.
    ///
    /// If a kept-alive connection ends before the response, libcurl sends the request again, up to
    /// five times and for any method (`Curl_retry_request`, in version 7.88.1 and still in August
    /// 2026). So a server may process a POST several times. After a second lost connection, libcurl
    /// forgets the part of the body that it has read, so the request hangs, or an app's own body
    /// stream arrives without its beginning. libcurl is therefore limited to one attempt for a
    /// request that has a body or must not be repeated. If a request with a body loses its
    /// connection before a response and may be repeated, the library itself sends the request a
    /// second time, over a new connection.
    private var allowsRepetition: Bool {
        let hasBody = request.httpBody?.isEmpty == false || request.httpBodyStream != nil
        return !isOverConnection || !hasBody && request.mayBeRepeated()
    }

    /// Unless a repetition is allowed, lets libcurl send the request again only after a 417. Call
    /// this on the task's queue, between the creation and the start of the task's `URLProtocol`.
    func refuseRepetition(of task: URLSessionTask) {
        guard !allowsRepetition, let transfer = Transfer(of: task) else { return }
        transfer.refuseRepetition(isOnNewConnection: isResend)
        hasResponse = { transfer.hasResponse }
    }

    /// Does the same as `refuseRepetition(of:)` for a task of a session without a cache. Call this
    /// before `resume()`.
    ///
    /// `resume()` creates the protocol on the task's queue, and starts the protocol there later.
    /// This function therefore checks on that queue repeatedly whether the protocol exists. If the
    /// session has a cache, the protocol is created later: see `CancellationSafeCache`.
    func refuseRepetitionAtResume(of task: URLSessionTask) {
        guard !allowsRepetition, let queue = task.transferQueue else { return }
        @Sendable func look() {
            queue.async { [self] in
                task.state == .suspended ? look() : refuseRepetition(of: task)
            }
        }
        look()
    }

    /// Returns whether libcurl must not send the request again after an attempt that ended with
    /// this status or without a response. If libcurl must not send it, also decides how the task
    /// ends, because libcurl's own error may name another cause.
    func refusesRepetition(after status: Int) -> Bool {
        // The server refused the `Expect` header. libcurl sends the request again without that
        // header.
        if status == 417, !isWithoutExpect {
            isWithoutExpect = true
            return false
        }
        let error = URLError(.networkConnectionLost)
        decide(mustResend(after: error) ? .success(.resend) : .failure(error))
        return true
    }

    /// Returns whether the library sends the request again after its first task fails. The request
    /// must be repeatable, have a body, and have lost its connection before a response.
    func mustResend(after error: any Error) -> Bool {
        !isResend && !allowsRepetition && request.mayBeRepeated() && !hasResponse()
            && (error as? URLError)?.code == .networkConnectionLost
    }
}
#else
extension URLSessionExchange {
    func refuseRepetitionAtResume(of task: URLSessionTask) {}

    func mustResend(after error: any Error) -> Bool { false }
}
#endif
