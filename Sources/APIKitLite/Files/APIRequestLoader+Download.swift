import Foundation

extension APIRequestLoader {
    /// Downloads the file that the request names, and resumes what an earlier call left.
    ///
    /// ```swift
    /// let loader = APIRequestLoader(apiRequest: ModelRequest(baseURL: baseURL), urlSession: session)
    /// try await loader.download("v1", to: file, progress: progress)
    /// ```
    ///
    /// It is the same as `session.download(request, input, to: file)`:
    /// ``HTTPSession/download(_:_:to:progress:checking:identity:retrying:clock:)``.
    ///
    /// - Parameters:
    ///   - requestData: The input of the request.
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
        func download(
            _ requestData: T.RequestDataType, to file: URL, progress: Progress? = nil,
            checking check: DigestCheck? = nil, identity: String? = nil,
            retrying policy: RetryPolicy = .never, clock: any Clock<Duration> = ContinuousClock()
        ) async throws(APIRequestError) -> HTTPURLResponse
    {
        try await flow.download(
            requestData, to: file,
            options: Download.Options(
                progress: progress, check: check, identity: identity, policy: policy,
                clock: clock))
    }
}
