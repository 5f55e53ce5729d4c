import APIKitLite
import Foundation

/// A client without a `URLSession`: a task that waits for the whole response, or for its headers.
///
/// `head` has its own lock.
final class DirectClient: Client {
    private let request: URLRequest
    private let core: NetworkCore
    private let options: SendOptions
    let passes = SendContext.passes
    private let head = Locked<HTTPURLResponse?>(nil)
    /// Receives the response when its awaited part has arrived.
    private let promise = Promise<HTTPURLResponse>()
    private let body: BodyBuffer

    init(_ request: URLRequest, to core: NetworkCore, _ options: SendOptions) {
        (self.request, self.core, self.options) = (request, core, options)
        body = BodyBuffer(limit: options.bufferLimit ?? .max)
    }

    private var isStream: Bool { options.bufferLimit != nil }

    var isWaiting: Bool { !promise.hasEnded || isStream && !body.hasEnded }
    var readerState: ReaderState? { isStream ? body.readerState : nil }
    var sessionTimeout: TimeInterval? { nil }
    var cookieStorage: HTTPCookieStorage? { core.cookieStorage }

    /// Sends the request, and suspends until the awaited part of the response has arrived.
    func load() async throws -> (HTTPBody, HTTPURLResponse) {
        // Most networks have no cookies, and a lookup takes a microsecond.
        let sent = try RequestBody.fill(
            core.hasCookieStorage ? addingCookies(to: request) : request, nil)
        if let count = sent.httpBody.map({ Int64($0.count) }) {
            options.context.didSend?(count, count)
        }
        let clientRequest = ClientRequest(to: core, from: self) { [self] in receive($0) }
        if isStream { body.onCancel { clientRequest.cancel() } }
        // Installed before the request is recorded, because the test may call `verify()` as soon as
        // it has cancelled the task.
        let response = try await withTaskCancellationHandler {
            clientRequest.send(sent)
            let result = await Result { try await promise.value() }
            try Task.checkNotCancelled()
            return try result.get()
        } onCancel: {
            // Recorded before the client's task resumes and sends its next request.
            clientRequest.recordCancellation()
            promise.resolve(with: .failure(URLError(.cancelled)))
            // Another task may be reading the body.
            body.end(throwing: URLError(.cancelled))
            clientRequest.cancelWork()
        }
        if isStream { return (HTTPBody(body), response) }
        return (try HTTPBody(await body.next() ?? Data()).limited(by: options), response)
    }

    func follow(
        _ response: HTTPURLResponse, to request: URLRequest,
        completion: @escaping @Sendable (Result<URLRequest?, any Error>) -> Void
    ) {
        completion(
            Result {
                let next = try options.context.redirectedRequest(after: response, from: request)
                // As in a `URLSession`, a stream that has been sent cannot be read again.
                guard next?.httpBody == nil || self.request.canBeSentAgain else {
                    throw URLError(.requestBodyStreamExhausted)
                }
                return next
            })
    }

    private func receive(_ part: Answer) {
        let response = head.withLock { head in
            head = head ?? part.head?.response
            return head
        }
        // First, because the reader may leave as soon as it has received the piece.
        for receipt in part.receipts { receipt.didTake() }
        // A complete body is one piece, which may exceed the buffer's limit because nobody has read
        // any of it.
        for piece in part.wholeHead == nil ? part.body : [part.body.joined] { body.append(piece) }
        if part.isLast { body.finish(throwing: part.error) }
        if let error = part.error, response == nil || !isStream {
            promise.resolve(with: .failure(error))
        } else if let response, isStream || part.isLast {
            promise.resolve(with: .success(response))
        }
    }
}
