import Foundation

extension HTTPSession {
    /// Downloads a file, and resumes what an earlier call left.
    ///
    /// ```swift
    /// let progress = Progress(totalUnitCount: -1)
    /// try await session.download(request, to: folder.appending(path: "model.bin"), progress: progress)
    /// ```
    ///
    /// The bytes are written to `file` + `.part`. Only when all of them are on the disk, with the
    /// announced length and the expected digest, the part is moved to `file`, in one step and in
    /// place of an older file. Until then, nothing changes there.
    ///
    /// If the download fails, the part stays, with a ``ResumeRecord`` beside it. The next call with
    /// the same file asks for the rest, also in another process. ``ResumeDecision`` says which
    /// responses continue a part. The response of the server must have a strong `ETag`, or a
    /// `Last-Modified` that is at least a second older than its `Date`; otherwise the part is removed
    /// and the next call starts over.
    ///
    /// If the disk is slower than the network, the task is suspended on Apple platforms. Foundation
    /// on Linux cannot suspend one task, so all transfers of the process are slow while more than
    /// 2 MiB wait for the disk, for up to 10 seconds. If more than 32 MiB wait in spite of that, the
    /// transfer is interrupted and resumed, or fails with ``TransportError/bodyLimit(_:)`` if it cannot be resumed.
    ///
    /// The request asks for the bytes of the file, `Accept-Encoding: identity`, unless it has this
    /// field already. An encoded body is decoded by Foundation, and cannot be resumed.
    ///
    /// - Parameters:
    ///   - request: A `GET` without a body.
    ///   - file: The URL of the file. Its folder must exist.
    ///   - progress: The object that gets the number of bytes, those of an earlier call included,
    ///     the throughput and the remaining time. Its `cancel()` cancels the download. If the length
    ///     is unknown, it is indeterminate. Its `cancellationHandler` is replaced.
    ///   - check: The digest that the file must have. If it has another one, the part is removed.
    ///   - identity: The name of what is downloaded. A part with another name is not continued. By
    ///     default, it is the URL without its query, so that a signed URL may expire.
    ///   - policy: Decides whether the download continues by itself after a `URLError`, before or
    ///     within the body. The number of attempts and the deadline count from the last received
    ///     byte. It retries no status: see ``HTTPSession/retrying(_:clock:random:now:)``.
    ///   - clock: The clock of the delays and of the throughput.
    /// - Returns: The response of the last request: 206 if the download was resumed, otherwise 200.
    /// - Throws: ``APIRequestError`` with the body of the response if its status is not 200, 203 or
    ///   206; ``DownloadError``; otherwise the error of ``stream(_:)``.
    @discardableResult
    public nonisolated(nonsending)
        func download(
            _ request: URLRequest, to file: URL, progress: Progress? = nil,
            checking check: DigestCheck? = nil, identity: String? = nil,
            retrying policy: RetryPolicy = .never, clock: any Clock<Duration> = ContinuousClock()
        ) async throws -> HTTPURLResponse
    {
        let download = Download(
            session: self, request: request, file: file,
            options: Download.Options(
                progress: progress, check: check, identity: identity, policy: policy,
                clock: clock))
        do {
            return try await download.response { _, response in
                try response.validateStatus(200, 203, 206)
            }
        } catch let refusal as Download.Refusal {
            throw APIRequestError(
                stage: .validate, request: request, response: refusal.response, data: refusal.data,
                underlying: refusal.underlying)
        }
    }

    /// Makes the request for an input, and downloads the file that it names.
    ///
    ///     try await session.download(ModelRequest(baseURL: baseURL), "v1", to: file)
    ///
    /// `validateResponse` is called with the head of the response and an empty body, before the
    /// first byte is written. If it throws, it is called once more, with the beginning of the body.
    /// It must accept the status 206 of a resumed download, as its default does. `parseResponse` is
    /// not called. Both functions run on the caller's actor.
    ///
    /// Everything else is as in ``download(_:to:progress:checking:identity:retrying:clock:)``.
    ///
    /// - Parameters:
    ///   - request: The request to load.
    ///   - input: The input of the request.
    ///   - file: The URL of the file. Its folder must exist.
    ///   - progress: The object that gets the number of bytes, and that cancels the download.
    ///   - check: The digest that the file must have.
    ///   - identity: The name of what is downloaded.
    ///   - policy: Decides whether the download continues by itself after a `URLError`, before or
    ///     within the body.
    ///   - clock: The clock of the delays and of the throughput.
    /// - Returns: The response of the last request.
    /// - Throws: ``APIRequestError`` if a stage fails. It has the stage and the original error.
    @discardableResult
    public nonisolated(nonsending)
        func download<R: APIRequest>(
            _ request: R, _ input: R.RequestDataType, to file: URL, progress: Progress? = nil,
            checking check: DigestCheck? = nil, identity: String? = nil,
            retrying policy: RetryPolicy = .never, clock: any Clock<Duration> = ContinuousClock()
        ) async throws(APIRequestError) -> HTTPURLResponse
    {
        let flow = LoadFlow(apiRequest: request, session: self)
        return try await flow.download(
            input, to: file,
            options: Download.Options(
                progress: progress, check: check, identity: identity, policy: policy,
                clock: clock))
    }
}
