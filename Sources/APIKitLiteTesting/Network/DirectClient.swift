import APIKitLite
import Foundation

/// A client without a `URLSession`, for a task that awaits the whole response or its headers.
///
/// `collected` has its own lock.
final class DirectClient: Client {
    private let core: NetworkCore
    private let options: SendOptions
    private let canBeSentAgain: Bool
    let passes = SendContext.passes
    /// The response, once its awaited part has arrived.
    private let promise = Promise<HTTPURLResponse>()
    /// The body of a stream; nil for a client that awaits the whole response.
    private let stream: BodyBuffer?
    /// The parts received so far, if the client awaits the whole response.
    private let collected = Locked(ResponsePart())

    /// Creates a client. `canBeSentAgain` says whether the body of its request can be read again.
    init(_ core: NetworkCore, _ options: SendOptions, _ canBeSentAgain: Bool) {
        (self.core, self.options, self.canBeSentAgain) = (core, options, canBeSentAgain)
        stream = options.bufferLimit.map { BodyBuffer(limit: $0) }
    }

    var isWaiting: Bool { !promise.hasEnded || stream?.hasEnded == false }
    var readerState: ReaderState? { stream?.readerState }
    var cookieStorage: HTTPCookieStorage? { core.cookieStorage }

    /// Records a request, begins the reply to it, and returns the response when the awaited part
    /// arrives.
    func load(
        _ record: RecordedRequest, _ reply: Reply
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        let request = ClientRequest(to: core, from: self) { [self] in receive($0) }
        stream?.onCancel { request.cancel() }
        // The cancellation handler is installed before the request is recorded, because the test
        // may call `verify()` as soon as it has cancelled the task.
        return try await withTaskCancellationHandler {
            request.send(record, reply)
            let result = await Result { try await promise.value() }
            try Task.checkNotCancelled()
            let response = try result.get()
            if let stream { return (HTTPBody(stream, on: core.time.timeline), response) }
            let data = collected.withLock(\.body).joined
            return (try HTTPBody(data).limited(by: options), response)
        } onCancel: {
            // The cancellation is recorded before the client's task resumes and sends its next
            // request.
            request.recordCancellation()
            promise.resolve(with: .failure(URLError(.cancelled)))
            // Another task may be reading the body.
            stream?.end(throwing: URLError(.cancelled))
            request.cancelWork()
        }
    }

    func follow(_ response: HTTPURLResponse, to request: URLRequest, _ decide: @escaping Decision) {
        decide(
            Result {
                let next = try options.context.redirectedRequest(after: response, from: request)
                // As in a `URLSession`, the app's own body stream can be sent only once.
                guard next?.httpBody == nil || canBeSentAgain else {
                    throw URLError(.requestBodyStreamExhausted)
                }
                return next
            })
    }

    private func receive(_ part: ResponsePart) {
        // The receipts come first, because the reader may leave as soon as it has received a
        // piece.
        for receipt in part.receipts { receipt.didTake() }
        var awaited = part.head
        if let stream {
            // A complete body is appended as one piece, because the buffer keeps a single piece of
            // any size.
            for piece in part.completeHead == nil ? part.body : [part.body.joined] {
                stream.append(piece)
            }
            if part.isLast { stream.finish(throwing: part.error) }
        } else {
            awaited = collected.withLock { collected in
                collected.append(part)
                return collected.completeHead
            }
        }
        if let awaited { promise.resolve(with: .success(awaited.response)) }
        if let error = part.error { promise.resolve(with: .failure(error)) }
    }
}
