import APIKitLite
import Foundation

extension HTTPArchive {
    /// Writes the archive as a HAR 1.2 file, without secrets.
    ///
    /// Placeholders replace the values whose names the redaction hides: `REDACTED-1`, `REDACTED-2`
    /// and so on, or `REDACTED-NUMBER-1` for a number in JSON. Equal values have equal numbers. Names
    /// count in URLs, headers, cookies, forms, multipart fields, and JSON, also in lines and events of
    /// it, in strings of it, and in URLs in these, but not in what is percent-encoded twice.
    ///
    /// Such a value is replaced wherever else it occurs in text, if it can be told from other text:
    /// it has at least eight bytes, is no URL and no host of the archive, and does not consist of
    /// words. So are each value of `Redaction.adding(values:)`, and the values of environment
    /// variables with secret names. They are found as they are, in JSON, percent-encoded, in Base64
    /// and in hexadecimal digits, in text in UTF-8, but not if they are encoded twice. Digits are
    /// found only as a whole number.
    ///
    /// A body that is not such text keeps its bytes; if such a value is in them, the file is not
    /// written. Nothing can be found in compressed data: with `adding(values:)`, a body that is
    /// compressed with gzip, zip, Zstandard, xz or bzip2, or has a `Content-Encoding` and is not text,
    /// is not written.
    ///
    /// In other places, names do not count: in HTML, XML, YAML, GraphQL or a path, give the values to
    /// `Redaction.adding(values:)`. Before the file is written, it is searched as
    /// ``checkSecrets(in:redacting:)`` does.
    ///
    /// The file is written elsewhere and then moved, so it is never half written.
    ///
    /// - Parameters:
    ///   - file: The file. Its folder must exist.
    ///   - redaction: The secrets. With `.none`, everything is written as it is.
    /// - Throws: ``HTTPArchiveError`` if a secret would remain, with its place, or if the file cannot be
    ///   written. In both cases, an existing file is unchanged.
    public func write(to file: URL, redacting redaction: Redaction = .standard) throws {
        let data = try data(redacting: redaction, for: file)
        do {
            try data.write(to: file, options: .atomic)
        } catch {
            throw HTTPArchiveError(
                "\(file.path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// Returns the bytes of the file.
    private func data(redacting redaction: Redaction, for file: URL) throws -> Data {
        guard redaction != .none else { return Data(text().utf8) }
        var placeholders = Placeholders(redaction, after: self)
        // A first writing collects the secrets, which may be elsewhere in all exchanges.
        var texts: [EditedText] = []
        _ = text { place, text in
            placeholders.hideNamed(in: &text, at: place)
            texts.append(text)
        }
        let search = SecretSearch(placeholders.secrets)
        var rest = texts[...]
        let hidden = text { place, text in
            text = rest.removeFirst()
            placeholders.hideElsewhere(in: &text, at: place, search)
        }
        let data = Data(hidden.utf8)
        let findings = try SecretCheck(walk: placeholders.walk, search: search)
            .findings(in: HARNode(data, of: HARFile(file)))
        if findings.isEmpty { return data }
        let name = file.deletingPathExtension().lastPathComponent
        let names = Set(findings.compactMap(\.name)).sorted().map { "\"\($0)\"" }
        throw HTTPArchiveError(
            """
            The recording "\(name)" was not written, because it would contain a secret \
            (\(file.path)):
            \(findings.map { "  \($0.text)" }.joined(separator: "\n"))
            An existing file is unchanged. Add the names of the secrets: redacting: \
            .standard.adding(\(names.isEmpty ? "\"…\"" : names.joined(separator: ", "))), or their \
            values: .standard.adding(values: "…"). What cannot be searched, remove from the archive.
            """)
    }

    /// Checks that the archives in a folder contain no secrets, for a test of committed files.
    ///
    /// The rules are those of ``write(to:redacting:)``. All of a file is searched, also what replay
    /// does not read, and the files that it names with `_file`. Tokens with a known form, such as
    /// JSON Web Tokens, are secrets too.
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
        let check = SecretCheck(
            walk: ValueWalk(redaction), search: SecretSearch(Placeholders.givenSecrets(redaction)))
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
            return try check.findings(in: HARNode(contentsOf: file))
                .map { "\(file.url.path), \($0.text)" }
        }
        if !findings.isEmpty {
            throw HTTPArchiveError(
                "These recordings contain secrets, or cannot be searched:\n  "
                    + findings.joined(separator: "\n  "))
        }
    }
}
