import APIKitLite
import Foundation

extension HTTPArchive {
    /// Reads an HTTP archive (HAR 1.1 or 1.2), such as that of a browser or a proxy.
    ///
    /// An entry that is not an HTTP exchange, such as a WebSocket, is skipped, and so is one that does
    /// not say all of it, such as a response whose body is not in the file. The `description` of the
    /// archive lists it.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - limit: How much is read, in bytes: the file, and the files that it names with `_file`.
    /// - Throws: ``HTTPArchiveError`` if there is more to read, or if the file cannot be read or is
    ///   not an archive.
    public init(contentsOf file: URL, limit: Int = 64_000_000) throws {
        self.init()
        let file = HARFile(file, limit: limit)
        for (index, entry) in try file.read().entries.enumerated() {
            let (exchange, reason) = try file.exchange(entry, number: index + 1)
            if let exchange, reason == nil {
                append(exchange)
            } else {
                let text = "entry \(index + 1): \(reason ?? "")"
                skipped.append(
                    Recording.Skipped(url: try entry["request"]["url"].text ?? "", text: text))
            }
        }
    }

    /// Writes the archive as a HAR 1.2 file, without secrets.
    ///
    /// `REDACTED-1`, `REDACTED-2` and so on replace the secrets of the redaction, numbered by their
    /// first appearance, and 0 a number in JSON. The same secret has the same number everywhere. Names
    /// count in URLs, headers, cookies, forms, multipart fields, JSON, and lines and events of JSON. A value with
    /// such a name is also replaced elsewhere in the archive, except in hosts, if it looks random:
    /// it has at least eight bytes, is no URL, and does not consist of words. So are the values of
    /// environment variables with secret names. See `Redaction` for the rest.
    ///
    /// If a secret is in the pieces of a stream, the pieces up to the end of the line become one.
    ///
    /// The keys are sorted, and each value has its own line, so that a diff shows what has changed; a
    /// new secret also changes the numbers of those after it. The file is written elsewhere and then moved, so it is never half written.
    ///
    /// - Parameters:
    ///   - file: The file. Its folder must exist.
    ///   - redaction: The secrets. With `.none`, everything is written as it is.
    /// - Throws: ``HTTPArchiveError`` if such a value is in a body that is not text, with its place,
    ///   or if the file cannot be written. In both cases, an existing file is unchanged.
    public func write(to file: URL, redacting redaction: Redaction = .standard) throws {
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
        do {
            try archive.text().write(to: file, options: .atomic)
        } catch {
            throw HTTPArchiveError(
                "\(file.path) cannot be written: \(error.localizedDescription)")
        }
    }

    private func text() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(HAR.content(of: self))
            + Data("\n".utf8)
    }

    /// Checks that the archives in a folder contain no secrets, for a test of committed files.
    ///
    /// Writing a file with the same redaction would change nothing. The fields that replay does not
    /// read are searched too, and the files that the archive names with `_file`.
    ///
    /// - Parameters:
    ///   - folder: The folder. Files with the extension `har` in it and in its subfolders are
    ///     archives.
    ///   - redaction: The secrets. Give the one with which the files were written.
    /// - Throws: ``HTTPArchiveError`` if there are secrets, with the places of all; if there is no
    ///   archive; or if the folder or an archive in it cannot be read.
    public static func checkSecrets(
        in folder: URL, redacting redaction: Redaction = .standard
    ) throws {
        guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder.path) else {
            throw HTTPArchiveError("\(folder.path) is not a folder that can be read.")
        }
        let files = paths.filter { $0.lowercased().hasSuffix(".har") }.sorted()
        if files.isEmpty {
            throw HTTPArchiveError(
                "\(folder.path) has no archive (.har), so nothing was checked.")
        }
        let findings = try files.flatMap { path in
            let file = HARFile(folder.appendingPathComponent(path))
            return try file.secrets(redaction).map { "\(file.url.path), \($0)" }
        }
        if !findings.isEmpty {
            throw HTTPArchiveError(
                "These recordings contain secrets:\n  " + findings.joined(separator: "\n  "))
        }
    }
}

extension HARFile {
    /// Returns the places of secrets: the parts of exchanges, and the lines of other fields.
    fileprivate func secrets(_ redaction: Redaction) throws -> [String] {
        let (text, entries) = try read()
        var archive = HTTPArchive()
        for (index, entry) in entries.enumerated() {
            if let exchange = try exchange(entry, number: index + 1).exchange {
                archive.append(exchange)
            }
        }
        let (clean, all) = archive.redacted(redaction)
        let places = zip(archive, clean).flatMap { $0.places(otherThanIn: $1) }
        // Bodies and headers are in the exchanges, and only these have types and kinds.
        var walk = SecretWalk(all.withoutNames(HAR.keys))
        walk.skippedKeys = ["text", "headers"]
        let shown = Data(walk.json(String(decoding: text, as: UTF8.self)).utf8)
        let lines = [text, shown].map {
            $0.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        }
        let other = zip(lines[0], lines[1]).enumerated().filter { $1.0 != $1.1 }
        return places + other.map { "line \($0.offset + 1)" } + clean.binaryBodies(all)
    }
}
