import Foundation

/// One download: requests, decisions about their responses, and the part that the bodies go to.
struct Download: Sendable {
    /// A response that is not the file, with the beginning of its body.
    struct Refusal: Error {
        let response: HTTPURLResponse
        let data: Data
        let underlying: any Error
    }

    /// The number of bytes that may wait for the disk. If more arrive, the transfer is interrupted.
    static let bufferLimit = 32 * 1024 * 1024

    let session: any HTTPSession
    let request: URLRequest
    let file: URL
    let options: Options

    /// What a caller may set.
    struct Options: Sendable {
        var progress: Progress?
        var check: DigestCheck?
        var identity: String?
        var policy: RetryPolicy
        var clock: any Clock<Duration>
    }

    /// Downloads the file.
    ///
    /// - Parameter validate: Throws if a response is not acceptable. Its body is empty, unless the
    ///   response is already refused.
    /// - Returns: The response of the last request.
    /// - Throws: `Refusal` for a response that is not the file; otherwise the original error.
    nonisolated(nonsending)
        func response(
            validate: (Data, HTTPURLResponse) throws -> Void
        ) async throws -> HTTPURLResponse
    {
        let request = try checkedRequest()
        let transfer = TransferProgress(
            options.progress, .downloading, file: file, clock: options.clock)
        try Task.checkNotCancelled()
        let part = try await BlockingWork { [file, check = options.check] in
            try PartFile(of: file, check: check)
        }
        do {
            let response = try await attempts(request, part, transfer, validate)
            try await part.run { try $0.finish() }
            transfer.complete()
            return response
        } catch {
            try? await part.run { $0.abandon() }
            throw error
        }
    }

    /// Returns the request for the whole file.
    private func checkedRequest() throws -> URLRequest {
        let method = request.httpMethod ?? "GET"
        guard method == "GET", request.httpBody == nil, request.httpBodyStream == nil else {
            throw DownloadError.notAGet(method: method == "GET" ? "GET with a body" : method)
        }
        for name in ["Range", "If-Range"] where request.value(forHTTPHeaderField: name) != nil {
            throw DownloadError.reservedField(name)
        }
        var request = request
        // Foundation decodes a body with a content coding. Its length is unknown then, and it
        // cannot be resumed.
        if request.value(forHTTPHeaderField: "Accept-Encoding") == nil {
            request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        return request
    }

    /// The name of the file without what changes in a signed URL: its query.
    private var identity: String {
        if let identity = options.identity { return identity }
        guard let url = request.url,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return "" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? ""
    }

    /// Sends requests until the part is whole.
    private nonisolated(nonsending) func attempts(
        _ request: URLRequest, _ part: BlockingWork<PartFile>, _ transfer: TransferProgress,
        _ validate: (Data, HTTPURLResponse) throws -> Void
    ) async throws -> HTTPURLResponse {
        let timeline = Timeline(options.clock)
        let identity = identity
        func keptRecord() async throws -> ResumeRecord? {
            let record = try await part.run { $0.record }
            // The part may be that of another file.
            return record?.identity == identity ? record : nil
        }
        // Also that of a part that is not continued: it is kept until another file begins.
        var kept = try await keptRecord()
        var record = kept
        // The most bytes that the part ever had. Only more of them are progress: the server may
        // ignore each `Range`, and send the same bytes again.
        var furthest = kept?.offset ?? 0
        var isAnotherFile = false
        // The attempts since the last progress, and when the first of them began.
        var number = 1
        var start = timeline.now()
        while true {
            do {
                // Before the request: this may take longer than a body can wait.
                try await addToDigest(of: part, upTo: record?.start ?? 0, transfer)
                let (body, response) = try await open(record, request, transfer)
                switch ResumeDecision(record: record, response: response) {
                case .refuse:
                    let status = UnacceptableStatus(
                        statusCode: response.statusCode, accepted: [200..<201])
                    throw await refusal(of: response, body, validate, status, transfer)
                case .askAgain:
                    record = nil
                    continue
                case .startOver:
                    try await check(response, body, validate, transfer)
                    let new = ResumeRecord(identity: identity, of: response)
                    let length = response.isEncoded ? nil : response.announcedLength
                    try await part.run { try $0.begin(at: 0, end: length, record: new) }
                    // The file may change once. If it does so again and again, it never ends.
                    if new?.validator != kept?.validator, !isAnotherFile {
                        (isAnotherFile, furthest) = (true, 0)
                    }
                    transfer.begin(at: 0, of: length)
                    try await copy(body, to: part, transfer)
                    return response
                case .append(let offset, let count, let length):
                    try await check(response, body, validate, transfer)
                    record?.length = length
                    try await part.run { [record] in
                        try $0.begin(at: offset, end: offset + count, record: record)
                    }
                    transfer.begin(at: offset, of: length)
                    try await copy(body, to: part, transfer)
                    if offset + count == length { return response }
                    // The server sent less than the rest, which is allowed.
                    kept = try await keptRecord()
                    record = kept
                    // Without progress, it is an attempt like one that was interrupted.
                    guard (kept?.offset ?? 0) > furthest else {
                        throw URLError(.networkConnectionLost)
                    }
                    furthest = kept?.offset ?? 0
                    (number, start) = (1, timeline.now())
                }
            } catch {
                kept = try await keptRecord()
                let offset = kept?.offset ?? 0
                let hasProgress = offset > furthest
                if hasProgress { (number, start, furthest) = (1, timeline.now(), offset) }
                guard !Task.isCancelled, !transfer.isCancelled else { throw error }
                if case TransportError.bodyLimit = error, hasProgress {
                    // The disk is much slower than the network.
                    record = kept
                    continue
                }
                guard let code = URLError(from: error)?.code,
                    let wait = options.policy.wait(
                        afterAttempt: number, of: request, outcome: .failure(code),
                        elapsed: timeline.now() - start, now: Date(), random: .random(in: 0...1))
                else { throw error }
                record = kept
                number += 1
                try await transfer.run { try? await timeline.sleep(timeline.now() + wait) }
            }
        }
    }

    /// Adds the bytes to the digest that an earlier download left.
    private nonisolated(nonsending) func addToDigest(
        of part: BlockingWork<PartFile>, upTo position: Int64, _ transfer: TransferProgress
    ) async throws {
        // In pieces, because a large part takes minutes, and the caller may cancel.
        while try await part.run({ try $0.addPieceToDigest(upTo: position) }) {
            try Task.checkNotCancelled()
            if transfer.isCancelled { throw URLError(.cancelled) }
        }
    }

    /// Sends the request for what the record leaves.
    private nonisolated(nonsending) func open(
        _ record: ResumeRecord?, _ request: URLRequest, _ transfer: TransferProgress
    ) async throws -> (HTTPBody, HTTPURLResponse) {
        let request = record?.resuming(request) ?? request
        return try await transfer.run { [session] in
            try await session.send(
                request, awaiting: .head(limit: Self.bufferLimit, hasSteadyReader: true))
        }
    }

    /// Writes the body to the part.
    private nonisolated(nonsending) func copy(
        _ body: HTTPBody, to part: BlockingWork<PartFile>, _ transfer: TransferProgress
    ) async throws {
        try await transfer.run {
            for try await piece in body {
                try await part.run { try $0.write(piece) }
                transfer.add(piece.count)
            }
            try await part.run { try $0.endBody() }
        }
    }

    /// Validates the head of a response.
    private nonisolated(nonsending) func check(
        _ response: HTTPURLResponse, _ body: HTTPBody,
        _ validate: (Data, HTTPURLResponse) throws -> Void, _ transfer: TransferProgress
    ) async throws {
        do {
            try validate(Data(), response)
        } catch {
            throw await refusal(of: response, body, validate, error, transfer)
        }
    }

    /// Returns the error for a response that is not the file: that of the validation with the
    /// beginning of the body or, if it accepts that, another one.
    private nonisolated(nonsending) func refusal(
        of response: HTTPURLResponse, _ body: HTTPBody,
        _ validate: (Data, HTTPURLResponse) throws -> Void, _ other: any Error,
        _ transfer: TransferProgress
    ) async -> any Error {
        let data = try? await transfer.run { await body.beginning() }
        // A cancellation ends the body.
        guard let data, !Task.isCancelled, !transfer.isCancelled else {
            return URLError(.cancelled)
        }
        do {
            try validate(data, response)
            return Refusal(response: response, data: data, underlying: other)
        } catch {
            return Refusal(response: response, data: data, underlying: error)
        }
    }
}
