import APIKitLite
import Foundation

extension HTTPArchive {
    /// Writes the archive as a HAR 1.2 file, without secrets.
    ///
    /// Placeholders replace the values whose names the redaction hides: `REDACTED-1`, `REDACTED-2`
    /// and so on, or `REDACTED-NUMBER-1` for a number in JSON. Equal values have equal numbers. A
    /// value of at least eight bytes is replaced wherever it occurs, even percent-encoded, in
    /// Base64 or in hexadecimal digits. So are the values of environment variables with secret
    /// names. Before the file is written, a second search looks for remaining secrets. Names in XML,
    /// in GraphQL texts and in compressed bodies are not found: give such values to
    /// `Redaction.adding(values:)`.
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
        guard redaction != .none else { return Data(text.utf8) }
        var placeholders = Placeholders(redaction, after: self)
        var hidden = self
        for index in indices { hidden[index].hideNamed(with: &placeholders) }
        for index in indices { hidden[index].hideElsewhere(with: &placeholders) }
        let text = Data(hidden.text.utf8)
        let findings = SecretSearch(for: placeholders.secrets, redaction).findings(in: text)
        if findings.isEmpty { return text }
        let name = file.deletingPathExtension().lastPathComponent
        let keys = Set(findings.compactMap(\.key)).sorted().map { "\"\($0)\"" }
        let names = keys.isEmpty ? "\"…\"" : keys.joined(separator: ", ")
        throw HTTPArchiveError(
            """
            The recording "\(name)" was not written, because it would contain a secret \
            (\(file.path)):
            \(findings.map { "  \($0.text)" }.joined(separator: "\n"))
            An existing file is unchanged. Add the names of the secrets: \
            redacting: .standard.adding(\(names)), or their values: .standard.adding(values: "…").
            """)
    }

    /// Checks that the archives in a folder contain no secrets, for a test of committed files.
    ///
    /// Finds values that have the usual names of secrets and are not placeholders, tokens with a
    /// known form, such as JSON Web Tokens, and the values of environment variables with secret
    /// names.
    ///
    /// - Parameter folder: The folder. Its subfolders are searched too.
    /// - Throws: ``HTTPArchiveError`` if there are secrets, with the places of all, or if the folder or an
    ///   archive in it cannot be read.
    public static func checkSecrets(in folder: URL) throws {
        let search = SecretSearch(for: Placeholders.environmentSecrets, .standard)
        guard let files = try? FileManager.default.subpathsOfDirectory(atPath: folder.path) else {
            throw HTTPArchiveError("\(folder.path) is not a folder that can be read.")
        }
        let findings = try files.filter { $0.hasSuffix(".har") }.sorted().flatMap { path in
            let file = folder.appendingPathComponent(path)
            // A file that is no archive has no entries to search.
            _ = try HTTPArchive(contentsOf: file, limit: .max)
            return try search.findings(in: Data(contentsOf: file))
                .map { "\(file.path), \($0.text)" }
        }
        if !findings.isEmpty {
            throw HTTPArchiveError(
                "These recordings contain secrets:\n  " + findings.joined(separator: "\n  "))
        }
    }
}
