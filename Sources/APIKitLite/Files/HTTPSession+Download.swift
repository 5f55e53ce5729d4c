import Foundation

extension HTTPSession {
    /// Downloads a file, and resumes what an earlier call left.
    ///
    /// ```swift
    /// let file = folder.appending(path: "model.bin")
    /// try await session.download(request, to: file)
    /// ```
    ///
    /// The bytes are written to `file` + `.part`. Only when all of them are written, with the
    /// announced length, the part is moved to `file`, in one step. An older file is replaced, and
    /// its permissions stay. Until then, nothing changes there.
    ///
    /// If the download fails, the part stays, with a record beside it. The next call with the same
    /// file and the same URL, query included, asks for the rest, even in another process. For that,
    /// the response of the server must have a strong `ETag`, or a `Last-Modified` that is at least
    /// a second older than its `Date`. Otherwise the part is removed, and the next call starts
    /// over.
    ///
    /// If the disk is slower than the network, the task is suspended on Apple platforms. Foundation
    /// on Linux cannot suspend one task, so all transfers of the process are slow while more than
    /// 2 MiB wait for the disk, for up to 10 seconds. If more than 32 MiB wait in spite of that,
    /// the transfer is interrupted and resumed. If it cannot be resumed, it fails with
    /// ``TransportError/bodyLimit(_:)``.
    ///
    /// The request asks for the bytes of the file, `Accept-Encoding: identity`, unless it has this
    /// field already. An encoded body is decoded by Foundation, and cannot be resumed.
    ///
    /// - Parameters:
    ///   - request: A `GET` without a body.
    ///   - file: The URL of the file. Its folder must exist.
    ///   - progress: Called before the first byte of each response and after each piece, with the
    ///     number of bytes in the part, including the bytes of an earlier call, and the length of
    ///     the file if the server announced it. The calls come one at a time, off the caller's
    ///     actor. If the file starts over, the number is smaller than before.
    ///   - policy: Decides whether the download continues automatically after a `URLError`, before
    ///     or within the body. The number of attempts and the deadline count from the last
    ///     progress: when the part has 64 KiB (65,536 bytes) more than at the progress before, or
    ///     1 % of what was missing then, if that is less. An answer that brings less counts as an
    ///     attempt. The policy retries no status: `retrying` does.
    ///   - clock: The clock of the delays.
    ///   - random: Returns the jitter factor of a delay, from 0 up to 1.
    ///   - name: The name of the call in errors and events, such as a route: the `requestType`.
    ///   - redaction: The secrets that the texts of its errors hide.
    ///   - validate: Throws if a response is not acceptable, before the first byte is written. It gets
    ///     an empty body first; if it throws, it is called again with the beginning of the body. It
    ///     must accept the status 206 of a resumed download.
    /// - Returns: The response of the last request: 206 if the download was resumed, otherwise 200.
    /// - Throws: ``APIRequestError`` if a stage fails. In the stage
    ///   ``APIRequestError/Stage/transport``, its `underlying` may be a ``DownloadError``, or a
    ///   ``RequestBuildingError`` for a request or a file that cannot be downloaded.
    @discardableResult
    public nonisolated(nonsending)
        func download(
            _ request: URLRequest, to file: URL,
            progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil,
            retrying policy: RetryPolicy = .never, clock: any Clock<Duration> = ContinuousClock(),
            random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
            name: String? = nil, redaction: Redaction = .standard,
            validate: @escaping @Sendable (Data, HTTPURLResponse) throws -> Void = {
                try $1.validateStatus(200, 203, 206)
            }
        ) async throws(APIRequestError) -> HTTPURLResponse
    {
        let call = URLRequestCall(
            request: request, redaction: redaction, validate: validate, parse: { _, _ in })
        let load = Load(call, over: self, type: name, clock: clock)
        var download = Download(
            load: load, file: file, progress: progress, policy: policy, timeline: Timeline(clock),
            random: random)
        return try await download.run(())
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
    /// Everything else, and the other parameters, are as in
    /// ``download(_:to:progress:retrying:clock:random:name:redaction:validate:)``.
    ///
    /// - Returns: The response of the last request.
    /// - Throws: ``APIRequestError`` if a stage fails. It has the stage and the original error.
    @discardableResult
    public nonisolated(nonsending)
        func download<R: APIRequest>(
            _ request: R, _ input: R.RequestDataType, to file: URL,
            progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil,
            retrying policy: RetryPolicy = .never, clock: any Clock<Duration> = ContinuousClock(),
            random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
        ) async throws(APIRequestError) -> HTTPURLResponse
    {
        var download = Download(
            load: Load(request, over: self, clock: clock), file: file, progress: progress,
            policy: policy, timeline: Timeline(clock), random: random)
        return try await download.run(input)
    }
}
