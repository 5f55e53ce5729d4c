import APIKitLite
import Foundation

extension HTTPArchive {
    /// Writes the archive as a HAR 1.2 file, without secrets.
    ///
    /// What the redaction hides by its name is written as `REDACTED-1`, `REDACTED-2` and so on, the
    /// same value always with the same number; a number in JSON as `REDACTED-NUMBER-1`. A value of at
    /// least eight characters is also replaced wherever else it occurs, even percent-encoded, or in
    /// Base64 or hexadecimal digits. So are the values of environment variables with secret names.
    /// Before the file is written, a second search looks for what is left.
    ///
    /// The file is written beside its place and then moved, so it is never half written.
    ///
    /// - Parameters:
    ///   - file: The file. Its folder must exist.
    ///   - redaction: The secrets. With `.none`, everything is written as it is.
    /// - Throws: ``HTTPArchiveError`` if a secret would remain, with its place; an error of
    ///   Foundation if the file cannot be written. In both cases, what was there is unchanged.
    public func write(to file: URL, redacting redaction: Redaction = .standard) throws {
        try data(redacting: redaction, for: file).write(to: file, options: .atomic)
    }

    /// Returns the bytes of the file.
    private func data(redacting redaction: Redaction, for file: URL) throws -> Data {
        guard redaction != .none else { return Data(text.utf8) }
        var placeholders = Placeholders(redaction, after: self)
        var hidden = self
        let findings: [String]
        do {
            for index in indices { try hidden[index].hideNamed(with: &placeholders) }
            for index in indices {
                try hidden[index].hideElsewhere(with: &placeholders, entry: index + 1)
            }
            let text = Data(hidden.text.utf8)
            findings = SecretSearch(for: placeholders.secrets, redaction).findings(in: text)
            if findings.isEmpty { return text }
        } catch let error as Placeholders.BinaryBody {
            findings = [error.description]
        }
        let name = file.deletingPathExtension().lastPathComponent
        throw HTTPArchiveError(
            """
            The recording "\(name)" was not written, because it would contain a secret \
            (\(file.path)):
            \(findings.map { "  \($0)" }.joined(separator: "\n"))
            The file that is there is unchanged. Name what holds them: \
            redacting: .standard.adding("…"), or their values: .standard.adding(values: "…").
            """)
    }

    /// Checks that the archives in a folder contain no secrets, for a test of committed files.
    ///
    /// Searched for are values with the usual names of secrets that are not placeholders, tokens
    /// with a known form, such as JSON Web Tokens, and the values of environment variables with secret
    /// names.
    ///
    /// - Parameter folder: The folder. Its subfolders are searched too.
    /// - Throws: ``HTTPArchiveError`` if there is one, with the places of all, or if a file is not an
    ///   archive; an error of Foundation if there is no such folder.
    public static func checkSecrets(in folder: URL) throws {
        let search = SecretSearch(for: Placeholders.environmentSecrets, .standard)
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let findings = try files.filter { $0.hasSuffix(".har") }.sorted().flatMap { path in
            let file = folder.appendingPathComponent(path)
            // A file that is no archive has no entries to search.
            _ = try HTTPArchive(contentsOf: file, limit: .max)
            return try search.findings(in: Data(contentsOf: file)).map { "\(file.path), \($0)" }
        }
        if !findings.isEmpty {
            throw HTTPArchiveError(
                "These recordings contain secrets:\n  " + findings.joined(separator: "\n  "))
        }
    }
}
