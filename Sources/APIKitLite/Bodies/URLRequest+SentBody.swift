import Foundation

extension URLRequest {
    /// Sends the request. A ``RepeatableBody`` is read from its start, and a form with files is
    /// first written to a temporary file.
    ///
    /// - Throws: ``FileBodyError`` if, before the attempt or after it fails, a file is missing,
    ///   unreadable or resized. Otherwise, any error of `send` or of writing the temporary file.
    func withSentBody<Result>(
        reportedTo didSend: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil,
        _ send: (URLRequest, URL?) async throws -> Result
    ) async throws -> Result {
        // Foundation on Linux reports no progress for a body in memory.
        let observed = didSend == nil ? nil : httpBody
        let body = repeatableBody ?? observed.map { RepeatableBody(segments: [.bytes($0)]) }
        guard let body else { return try await send(self, nil) }
        try body.checkFiles()
        let form =
            body.segments.count > 1
            ? FileManager.default.temporaryDirectory.appending(path: "\(UUID()).form") : nil
        defer { if let form { try? FileManager.default.removeItem(at: form) } }
        do {
            var sent = body
            if let form {
                try await body.write(to: form)
                sent = RepeatableBody(segments: [.file(try RepeatableBody.File(form))])
            }
            return try await send(sending(sent, didSend), sent.files.first?.url)
        } catch {
            if !Task.isCancelled { try body.checkFiles() }
            throw error
        }
    }

    /// The body, if it is a ``RepeatableBody``.
    var repeatableBody: RepeatableBody? {
        (httpBodyStream as? RepeatableBodyStream)?.body
    }

    /// The size of the body in bytes, or nil if there is no body or the body is the app's own
    /// stream.
    var knownBodySize: Int64? { (httpBody?.count ?? repeatableBody?.size).map { Int64($0) } }

    /// A fresh stream of the body, if it is a ``RepeatableBody``.
    package var openedBody: InputStream? { (httpBodyStream as? RepeatableBodyStream)?.reopened() }

    /// Whether the request can be sent more than once. The app's own stream can be read only once.
    package var canBeSentAgain: Bool { httpBodyStream == nil || repeatableBody != nil }
}

extension RepeatableBody {
    /// Writes the body to a new file that only the current user can read.
    fileprivate func write(to url: URL) async throws {
        try Data().write(to: url, options: .withoutOverwriting)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: url.path(percentEncoded: false))
        let file = try FileHandle(forWritingTo: url)
        defer { try? file.close() }
        let stream = RepeatableBodyStream(self)
        stream.open()
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while stream.hasBytesAvailable {
            try Task.checkNotCancelled()
            let count = stream.read(&piece, maxLength: piece.count)
            try file.write(contentsOf: piece.prefix(max(count, 0)))
            await Task.yield()
        }
        if let failure = stream.failure { throw failure }
    }
}
