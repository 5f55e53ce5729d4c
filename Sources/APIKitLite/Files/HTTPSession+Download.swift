import Foundation

extension HTTPSession {
    /// Downloads a file, and resumes an earlier incomplete download.
    ///
    /// ```swift
    /// let file = folder.appending(path: "model.bin")
    /// try await session.download(request, to: file)
    /// ```
    ///
    /// The bytes are written to the part, which is the file `file` + `.part`. When all bytes are
    /// written and their number is the announced length, if any, the part is moved to `file` in one
    /// step. If the part replaces an older file, the part gets that file's permissions. Until the
    /// move, `file` is unchanged. If `file` is a symbolic link, the move replaces the link, and the
    /// link's target is unchanged.
    ///
    /// If a download that can be resumed fails, the part is kept, with a record next to it. The
    /// next call with the same file and URL, including the query, requests the rest of the file,
    /// even in another process. A download can be resumed only if the server's response has a
    /// strong `ETag`, or no `ETag` and a `Last-Modified` that is at least a second before `Date`.
    /// If a failed download cannot be resumed, its part is removed, and the next call starts over.
    ///
    /// If the disk is slower than the network, the transfer is suspended on Apple platforms.
    /// Foundation on Linux cannot suspend a single task. While more than 2 MiB are waiting for the
    /// disk, all transfers of the process are slowed, unless the disk takes nothing for a second.
    /// If more than 32 MiB still accumulate, the transfer is interrupted and resumed. If the
    /// transfer cannot be resumed, the download fails with ``TransportError/bodyLimit(_:)``.
    ///
    /// The request is sent with `Accept-Encoding: identity`, unless the request already has an
    /// `Accept-Encoding`. A download with an encoded body cannot be resumed, because Foundation
    /// decodes the body.
    ///
    /// - Parameters:
    ///   - request: A `GET` without a body and without the headers `Range` and `If-Range`.
    ///   - file: The URL of the local file to write. Its folder must exist.
    ///   - progress: Called before the first byte of each response is written, and after each piece
    ///     of the body is written. Receives the part's size in bytes, including bytes from an
    ///     earlier download, and the file's length if the server announced it. Bytes that arrive
    ///     while a piece is written form the next piece. The calls do not overlap, and run off the
    ///     caller's actor. If the download starts over, the size drops.
    ///   - policy: Decides whether the download continues automatically after a `URLError` that
    ///     occurs before or within the body. The number of attempts and the deadline start over
    ///     whenever the part has grown by 64 KiB (65,536 bytes), or by 1% of the missing bytes if
    ///     that is less. A response that adds less counts as an attempt. The policy's statuses are
    ///     ignored. To retry after a response with one of them, use the session's `retrying(_:)`.
    ///   - clock: The clock that measures the delays and the deadline.
    ///   - name: The name of the call in errors and events (the `requestType`), such as a route.
    ///   - redaction: The secrets to hide in error texts.
    ///   - validate: Throws, before any of a response's body is written, if the response is not
    ///     acceptable. By default, its status must be 200, 203 or 206. The closure is called with
    ///     empty data when the headers arrive, or with the body if the session returns a complete
    ///     body. If the closure throws for empty data, it is called again with the beginning of the
    ///     body, so that its error can quote the server's message. The closure must accept the
    ///     status 206 of a resumed download.
    ///   - random: Returns the jitter factor of a delay, from 0 up to 1.
    /// - Returns: The response to the last request. Its status is 206 if the download was resumed,
    ///   otherwise 200 or 203.
    /// - Throws: ``APIRequestError`` if a stage fails. In stage
    ///   ``APIRequestError/Stage/transport``, the error's `underlying` may be a ``DownloadError``,
    ///   or a ``RequestBuildingError`` for an unsuitable request or file.
    @discardableResult
    public nonisolated(nonsending)
        func download(
            _ request: URLRequest, to file: URL,
            progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil,
            retrying policy: RetryPolicy = .never, clock: any Clock<Duration> = ContinuousClock(),
            name: String? = nil, redaction: Redaction = .standard,
            validate: (@Sendable (Data, HTTPURLResponse) throws -> Void)? = nil,
            random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
        ) async throws(APIRequestError) -> HTTPURLResponse
    {
        let load = Load(
            session: self, requestType: name, clock: clock, redaction: { redaction },
            check: validate ?? { try $1.validateStatus(200, 203, 206) })
        var download = Download(
            load: load, file: file, progress: progress, policy: policy, random: random)
        return try await download.run { request }
    }

    /// Makes the request for an input, and downloads the requested file.
    ///
    ///     try await session.download(ModelRequest(baseURL: baseURL), "v1", to: file)
    ///
    /// `validateResponse` must accept the status 206 of a resumed download, as the default
    /// implementation does. `parseResponse` is not called. `makeRequest` and `validateResponse` run
    /// on the caller's actor.
    ///
    /// With `validateResponse` in place of `validate`, everything else works as in
    /// ``download(_:to:progress:retrying:clock:name:redaction:validate:random:)``.
    ///
    /// - Returns: The response to the last request.
    /// - Throws: ``APIRequestError`` if a stage fails, with the stage and the original error.
    @discardableResult
    public nonisolated(nonsending)
        func download<R: APIRequest>(
            _ request: R, _ input: R.RequestDataType, to file: URL,
            progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil,
            retrying policy: RetryPolicy = .never, clock: any Clock<Duration> = ContinuousClock(),
            random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
        ) async throws(APIRequestError) -> HTTPURLResponse
    {
        let load = Load(request, over: self, clock: clock)
        var download = Download(
            load: load, file: file, progress: progress, policy: policy, random: random)
        return try await download.run { try request.makeRequest(from: input) }
    }
}
