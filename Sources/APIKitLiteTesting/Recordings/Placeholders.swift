import APIKitLite
import Foundation

/// The placeholders that replace secrets in an archive: `REDACTED-1`, and `REDACTED-NUMBER-2` for a
/// number in JSON.
struct Placeholders {
    let walk: ValueWalk
    /// The secrets that are replaced wherever they occur, in order.
    private(set) var secrets: [Secret]
    /// The values of these secrets.
    private var known: Set<String>
    /// The numbers of the placeholders by values. The key of a short value also contains its name.
    private var numbers: [String: Int] = [:]
    private var lastNumber: Int
    /// The hosts of the archive, with their ports, in which nothing is replaced.
    private let origins: [String]

    /// Creates the placeholders for an archive, which may have some already.
    init(_ redaction: Redaction, after archive: HTTPArchive) {
        walk = ValueWalk(redaction)
        // Only the exchanges of a file have placeholders.
        let text = archive.contains { $0.place != nil } ? archive.text() : ""
        lastNumber = Placeholder.all(in: text).compactMap { Int($0.number) }.max() ?? 0
        origins = Set(archive.map { URLParts($0.request.url?.absoluteString ?? "").hostAndPort })
            .sorted()
        secrets = Self.givenSecrets(redaction)
        known = Set(secrets.map(\.value))
    }

    /// The values of a redaction, and those of the environment variables with secret names.
    static func givenSecrets(_ redaction: Redaction) -> [Secret] {
        redaction.values.map { Secret(value: $0, label: "a value of the redaction") }
            + ProcessInfo.processInfo.environment.sorted { $0.key < $1.key }
            // `PWD` is the working directory.
            .filter { $0 != "PWD" && Redaction.standard.hides($0, $1) && Redaction.looksRandom($1) }
            .map { Secret(value: $1, label: "the value of the environment variable \($0)") }
    }

    /// Replaces the values that have secret names.
    mutating func hideNamed(in text: inout EditedText, at place: TextPlace) {
        text.replace(
            walk.edits(of: text.bytes, at: place) { value in
                walk.hides(value) ? placeholder(for: value) : nil
            })
    }

    /// Replaces the secrets wherever else they occur in a text. A body that is not text is
    /// unchanged: the check finds its secrets.
    mutating func hideElsewhere(
        in text: inout EditedText, at place: TextPlace, _ search: SecretSearch
    ) {
        let found = search.occurrences(in: text.bytes)
        if found.isEmpty || String(bytes: text.bytes, encoding: .utf8) == nil { return }
        // A string replaces a number in JSON, so that the text remains JSON.
        let digits = found.map(\.range).filter { text.bytes[$0].areDigits }
        let values = digits.isEmpty ? [] : walk.values(in: text.bytes, at: place, near: digits)
        let numbers = Set(values.filter { $0.encoding == .jsonNumber }.map(\.range))
        text.replace(
            found.map { found in
                let number = number(of: found.secret.value)
                let isNumber = numbers.contains(found.range)
                return (
                    found.range, isNumber ? "\"REDACTED-NUMBER-\(number)\"" : "REDACTED-\(number)"
                )
            })
    }

    /// Returns the placeholder for a value that has a secret name.
    private mutating func placeholder(for value: NamedValue) -> String {
        add(value.value, label: "the value of the \(value.kind) \(value.name)")
        if let password = value.password { add(password, label: "the password in \(value.name)") }
        let isShort = value.value.utf8.count < Redaction.shortestRandom
        return (value.encoding == .jsonNumber ? "REDACTED-NUMBER-" : "REDACTED-")
            + number(of: isShort ? "\(value.name)\0\(value.value)" : value.value)
    }

    /// Adds a secret, unless it is known already, or occurs where it is none: a word, or a host.
    private mutating func add(_ value: String, label: String) {
        guard Redaction.looksRandom(value), !origins.contains(where: { $0.contains(value) }),
            known.insert(value).inserted
        else { return }
        secrets.append(Secret(value: value, label: label))
    }

    private mutating func number(of key: String) -> String {
        if let number = numbers[key] { return "\(number)" }
        lastNumber += 1
        numbers[key] = lastNumber
        return "\(lastNumber)"
    }
}
