import Foundation

private struct ReportingSession: SessionPolicy {
    let next: any HTTPSession
    let progress: Progress

    func send(
        _ request: URLRequest, awaiting options: SendOptions
    ) async throws -> (HTTPBody, HTTPURLResponse) {
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
    /// Returns a session that reports how much of one request's body was sent.
    func reporting(to progress: Progress?) -> any HTTPSession {
        guard let progress else { return self }
        return ReportingSession(next: self, progress: progress)
    }
}
