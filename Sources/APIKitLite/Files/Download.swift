import Foundation

/// One download: its requests, the rules for their responses, and the file that receives the bytes.
struct Download {
    var load: Load
    let file: URL
    let progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)?
    let policy: RetryPolicy
    let random: @Sendable () -> Double
    private let disk = Disk()

    nonisolated(nonsending) mutating func run(
        _ makeRequest: () throws -> URLRequest
    ) async throws(APIRequestError) -> HTTPURLResponse {
        let request = try load.makeRequest(makeRequest)
        do {
            let request = try checked(request)
            try Task.checkNotCancelled()
            let part = try await disk.run { [file] in try PartFile(of: file) }
            do {
                let response = try await fill(part, request)
                try await disk.run { try part.finish() }
                return response
            } catch {
                try? await disk.run { part.abandon() }
                throw error
            }
        } catch {
            throw load.notifyingObservers(of: failure(error))
        }
    }

    private func failure(_ error: any Error) -> APIRequestError {
        let failed = error as? APIRequestError
        if let failed, failed.stage != .transport { return failed }
        var failure = load.failure(.transport, failed?.thrown ?? error)
        if let response = load.response, response.field("ETag") == nil,
            response.field("Last-Modified") == nil
        {
            failure.hint = """
                The next download starts over: the response had no ETag and no Last-Modified.
                """
        }
        return failure
    }

    private func checked(_ request: URLRequest) throws -> URLRequest {
        var request = request
        let method = request.httpMethod ?? "GET"
        guard method == "GET", request.httpBody == nil, request.httpBodyStream == nil else {
            throw RequestBuildingError(
                "A download sends GET without a body, not "
                    + (method == "GET" ? "GET with a body" : method)
                    + ". For any other request, read session.stream(request) and write its pieces.")
        }
        for name in ["Range", "If-Range"] where request.value(forHTTPHeaderField: name) != nil {
            throw RequestBuildingError(
                "The request has the field \(name), which a download sets itself. Remove it.")
        }
        // Foundation decodes a body that has a content coding, so the file's length is unknown, and
        // the download cannot be resumed.
        if request.value(forHTTPHeaderField: "Accept-Encoding") == nil {
            request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        return request
    }

    /// Sends requests until the part is complete or the download fails.
    private nonisolated(nonsending) mutating func fill(
        _ part: PartFile, _ request: URLRequest
    ) async throws -> HTTPURLResponse {
        let timeline = Timeline(load.clock)
        let urlHash = ResumeRecord.hash(of: request.url)
        var record = try await disk.run { part.record(of: urlHash) }
        // The part's size at the start or at the last progress. Only growth beyond this size is
        // progress, because a server that ignores `Range` sends the same bytes again.
        var furthest = record?.offset ?? 0
        // The number of attempts since the last progress, and the time when the first of these
        // attempts began.
        var (number, start) = (1, timeline.now())
        var options = SendOptions.head(limit: bufferLimit)
        options.context.waitsForReader = true
        options.context.begin()
        while true {
            try policy.checkDeadline(after: timeline.now() - start)
            // The failure is nil if the body ended without an error, but before the file's end.
            var failure: (any Error)?
            do {
                var (body, response) = try await load.send(
                    record?.resuming(request) ?? request, awaiting: options)
                var decision = ResumeDecision(record: record, response: response)
                if decision == .askAgain {
                    body.end()
                    record = nil
                    // This request belongs to the same attempt, so the deadline is not checked
                    // before it.
                    (body, response) = try await load.send(request, awaiting: options)
                    decision = ResumeDecision(record: nil, response: response)
                }
                try await load.validate(body, response)
                if case .fail(let error) = decision { throw error }
                guard case .write(let span) = decision else {
                    let status = UnacceptableStatusError(
                        statusCode: response.statusCode, accepted: [200..<201])
                    throw await load.refusal(.validate, status, body)
                }
                if span.start == 0 { record = ResumeRecord(urlHash: urlHash, of: response) }
                record?.length = span.length
                let offset = try await disk.store(body, span, record, in: part, progress)
                if span.length == nil || span.length == offset { return response }
            } catch let error as APIRequestError where error.stage != .transport {
                throw error
            } catch {
                failure = error
            }
            try Task.checkNotCancelled()
            record = try await disk.run { part.record(of: urlHash) }
            if let record, isProgress(from: furthest, to: record.offset, of: record.length) {
                (number, start, furthest) = (1, timeline.now(), record.offset)
                // The download continues immediately if the server sent only some of the missing
                // bytes, or if the disk is much slower than the network.
                if failure == nil { continue }
                if case TransportError.bodyLimit? = failure as? TransportError { continue }
            }
            let error = failure ?? URLError(.networkConnectionLost)
            let attempt = RetryAttempt(
                number, of: request, error: (error as? APIRequestError)?.thrown ?? error,
                elapsed: timeline.now() - start, policy: policy, random: random())
            guard case .retry(let wait, _) = attempt.decision else { throw error }
            number += 1
            try? await timeline.sleep(timeline.now() + wait)
        }
    }
}

/// The queue for all work on a part. A file operation can block for seconds. On a thread of the
/// concurrency runtime, it would block other tasks.
private struct Disk: Sendable {
    private let queue = DispatchQueue(label: "APIKitLite.Download")

    nonisolated(nonsending) func run<R: Sendable>(
        _ work: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: work)) }
        }
    }

    /// Writes the body of a response to the part, and returns the position after the last byte
    /// written.
    @concurrent func store(
        _ body: HTTPBody, _ span: ContentRange, _ record: ResumeRecord?, in part: PartFile,
        _ progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)?
    ) async throws -> Int64 {
        var offset = span.start
        try await run { try part.begin(span, record: record) }
        progress?(span.start, span.length)
        for try await piece in body {
            try await run { try part.write(piece) }
            offset += Int64(piece.count)
            progress?(offset, span.length)
        }
        return offset
    }
}

/// The maximum number of bytes that wait for the disk. If more bytes wait, the transfer is
/// interrupted.
private let bufferLimit = 32 * 1024 * 1024

/// Returns whether a part has grown enough that the next request does not count as a retry.
///
/// The part must grow by 64 KiB or 1% of the bytes that were missing, whichever is less, and by at
/// least one byte. If the file's length is unknown, 1% of the part's earlier size is used instead
/// of 1% of the missing bytes.
func isProgress(from furthest: Int64, to offset: Int64, of length: Int64?) -> Bool {
    let percent = (length.map { $0 - furthest } ?? furthest) / 100
    return offset - furthest >= max(1, min(percent, 65_536))
}
