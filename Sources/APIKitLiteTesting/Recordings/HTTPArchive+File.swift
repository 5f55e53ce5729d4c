import APIKitLite
import Foundation

extension HTTPArchive {
    /// Reads an HTTP archive (HAR 1.1 or 1.2), such as a file from a browser or a proxy.
    ///
    /// An entry is skipped if it is not an HTTP exchange, for example a WebSocket, or if it is
    /// incomplete, for example because the response's body is missing. An entry is also skipped if
    /// its response is still compressed with gzip, or if a field that is read has another type or
    /// format than in HAR 1.2. The formats of `startedDateTime` and `mimeType` are not checked. The
    /// `description` of the archive lists the skipped entries.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - limit: The maximum size of the file in bytes, including files that `_file` fields name.
    /// - Throws: ``HTTPArchiveError`` if the limit is exceeded, if the file or a file that it names
    ///   cannot be read, or if the file is not an archive.
    public init(contentsOf file: URL, limit: Int = 64_000_000) throws {
        self.init()
        var file = HARFile(url: file, limit: limit)
        for (index, entry) in try file.entries().enumerated() {
            do {
                append(try file.exchange(entry.value.get(), number: index + 1))
            } catch let error as HTTPArchiveError {
                throw error
            } catch {
                let url = (try? entry.value.get())?.request.url
                let text = "entry \(index + 1): \(HARFault(error))"
                skipped.append(Recording.Skipped(url: url, text: text))
            }
        }
    }

    /// Writes the archive as a HAR 1.2 file, without secrets.
    ///
    /// The marks `REDACTED-1`, `REDACTED-2` and so on replace the secrets, in order of appearance,
    /// and 0 replaces a secret number in JSON. The same secret has the same mark everywhere. Secret
    /// names apply to URLs, headers, cookies, forms, multipart fields, JSON, JSON Lines and events
    /// with JSON. If a value with such a name looks random (at least eight bytes, not a URL, not
    /// made of words), the value is also replaced elsewhere in the archive, except in hosts. The
    /// same applies to the values of environment variables with secret names. `Redaction` describes
    /// the other rules.
    ///
    /// If a line of a stream contains a secret, the pieces of that line become one piece.
    ///
    /// The keys are sorted, and each value has its own line, so that diffs are readable. A new
    /// secret changes the marks of the secrets after it. The file is written atomically.
    ///
    /// - Parameters:
    ///   - file: The file. Its folder must exist.
    ///   - redaction: The secrets. With `.none`, everything is written unchanged.
    /// - Throws: ``HTTPArchiveError`` if a body that is not text contains a secret, if a network
    ///   has not kept a body, or if the file cannot be written. In each case, an existing file
    ///   stays unchanged.
    public func write(to file: URL, redacting redaction: Redaction = .standard) throws {
        if let loss = lazy.compactMap({ $0.loss(redaction) }).first {
            throw HTTPArchiveError("\(file.path) was not written. \(loss)")
        }
        let (archive, redaction) = redacted(redaction)
        let findings = archive.binaryBodies(redaction)
        guard findings.isEmpty else {
            throw HTTPArchiveError(
                """
                \(file.path) was not written, because a body that is not text contains a secret:
                \(findings.map { "  \($0)" }.joined(separator: "\n"))
                An existing file is unchanged. Do not record this request, or remove it from the \
                archive.
                """)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let text = try encoder.encode(archive.har) + Data("\n".utf8)
            try text.write(to: file, options: .atomic)
        } catch {
            throw HTTPArchiveError(
                "\(file.path) cannot be written: \(error.localizedDescription)")
        }
    }
}
