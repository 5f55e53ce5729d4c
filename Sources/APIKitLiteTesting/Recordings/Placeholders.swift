import APIKitLite
import Foundation

/// The placeholders that replace secrets in an archive: `REDACTED-1`, and `REDACTED-NUMBER-2` for a
/// number in JSON.
struct Placeholders {
    /// The number of bytes from which a value is replaced wherever it occurs. A shorter value is
    /// replaced only where its name says that it is a secret.
    private static let shortest = 8

    let redaction: Redaction
    /// The secrets that are replaced wherever they occur, in order.
    private(set) var secrets: [Secret]
    /// The numbers of the placeholders by values. The key of a short value also contains its name.
    private var numbers: [String: Int] = [:]
    private var lastNumber: Int
    /// The values that the app gave, which are replaced even if they are names too.
    private let given: Set<String>
    /// The names in the archive. Another value that equals a name is replaced only at its own place.
    private var names: Set<String> = []
    /// The values of the secrets.
    private var known: Set<String>

    /// Creates the placeholders for an archive, which may have some already.
    init(_ redaction: Redaction, after archive: HTTPArchive) {
        self.redaction = redaction
        // Only the exchanges of a file have placeholders.
        let text = archive.contains { $0.place != nil } ? archive.text : ""
        lastNumber = Placeholder.all(in: text).compactMap { Int($0.number) }.max() ?? 0
        given = Set(redaction.values)
        secrets = Self.givenSecrets(redaction)
        known = Set(secrets.map(\.value))
    }

    /// The values of a redaction, and those of the environment variables with secret names.
    static func givenSecrets(_ redaction: Redaction) -> [Secret] {
        redaction.values.map { Secret(value: $0, label: "a value of the redaction") }
            + ProcessInfo.processInfo.environment.sorted { $0.key < $1.key }
            // `PWD` is the working directory.
            .filter {
                $0 != "PWD" && Redaction.standard.hides($0, $1) && $1.utf8.count >= shortest
            }
            .map { Secret(value: $1, label: "the value of the environment variable \($0)") }
    }

    /// The index of the secrets that are replaced wherever they occur.
    var index: SecretIndex {
        SecretIndex(secrets.filter { given.contains($0.value) || !names.contains($0.value) })
    }

    /// Adds the name of a value, which is then not replaced elsewhere.
    mutating func addName(of value: NamedValue) { names.insert(value.name) }

    /// Returns the placeholder for a value that has a secret name.
    mutating func placeholder(for value: NamedValue) -> String {
        add(value.value, label: "the value of the \(value.kind) \(value.name)")
        if let password = value.basicPassword {
            add(password, label: "the password of Basic authentication")
        }
        let isShort = value.value.utf8.count < Self.shortest
        let key = isShort ? "\(value.name)\0\(value.value)" : value.value
        return (value.encoding == .jsonNumber ? "REDACTED-NUMBER-" : "REDACTED-")
            + "\(number(of: key))"
    }

    /// Returns the placeholder for a secret that has no name where it occurs.
    mutating func placeholder(for secret: Secret) -> String {
        "REDACTED-\(number(of: secret.value))"
    }

    /// Adds a secret, unless it is known already.
    private mutating func add(_ value: String, label: String) {
        if value.utf8.count >= Self.shortest, known.insert(value).inserted {
            secrets.append(Secret(value: value, label: label))
        }
    }

    private mutating func number(of key: String) -> Int {
        if let number = numbers[key] { return number }
        lastNumber += 1
        numbers[key] = lastNumber
        return lastNumber
    }
}
