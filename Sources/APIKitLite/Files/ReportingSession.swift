import Foundation

private struct ReportingSession: SessionPolicy {
    let next: any HTTPSession
    let progress: Progress

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        // A refresh is not what is uploaded, and other requests need it, too.
        if options.isRefresh { return try await next.send(request, awaiting: options) }
        let body = request.repeatableBody ?? request.httpBody.map { RepeatableBody([.bytes($0)]) }
        let transfer = TransferProgress(progress, nil, file: body?.files.first?.url)
        guard let body else {
            // The size of a stream is unknown.
            transfer.begin(at: 0, of: request.httpBodyStream == nil ? 0 : nil)
            return try await transfer.run { [next] in
                try await next.send(request, awaiting: options)
            }
        }
        transfer.begin(at: 0, of: Int64(body.size))
        var reported = options
        reported.didSend = { transfer.reach($0) }
        let answer = try await transfer.run { [next, reported] in
            try await next.send(request, awaiting: reported)
        }
        // A mock on Apple platforms does not report what it reads.
        transfer.reach(body.size)
        return answer
    }
}

extension HTTPSession {
    /// Returns a session that reports to a progress how much of a request's body was sent.
    ///
    ///     let progress = Progress(totalUnitCount: 0)
    ///     let session = URLSession.shared.reporting(to: progress)
    ///     let receipt = try await session.load(UploadRequest(baseURL: baseURL), file)
    ///
    /// The unit is a byte. A byte counts as sent when the connection has taken it, so a few hundred
    /// kilobytes may be on their way when the progress is complete. If the request is sent again, the
    /// progress starts again at 0. For a stream of your own, the progress is indeterminate.
    ///
    /// `progress.cancel()` cancels the exchange, which then throws `URLError.cancelled`. For that,
    /// the session replaces the `cancellationHandler` of the progress.
    ///
    /// - Parameter progress: The progress of one exchange. Use the session for one request at a time.
    /// - Returns: A session that wraps this one.
    public func reporting(to progress: Progress) -> some HTTPSession {
        ReportingSession(next: self, progress: progress)
    }
}
