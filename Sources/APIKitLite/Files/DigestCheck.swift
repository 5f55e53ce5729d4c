import Foundation

/// A digest that a downloaded file must have.
///
/// The library has no hash function of its own. `SHA256` of CryptoKit or swift-crypto fits:
///
/// ```swift
/// let check = DigestCheck(
///     "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", of: SHA256(),
///     update: { $0.update(data: $1) }, finish: { $0.finalize() })
/// ```
public struct DigestCheck: Sendable {
    /// The expected digest, hexadecimal and in lower case.
    let expected: String
    /// Begins a computation.
    let makeDigest: @Sendable () -> any RunningDigest

    /// Creates a check.
    ///
    /// The functions are called for one piece of the file after the other, in order. If a download
    /// is resumed, they are called for the bytes that an earlier download left first.
    ///
    /// - Parameters:
    ///   - expected: The expected digest, hexadecimal. Upper and lower case are equal.
    ///   - hash: The hash function before the first byte. It must be a value, because a download
    ///     that starts over needs it again.
    ///   - update: Adds bytes to the hash function.
    ///   - finish: Returns the bytes of the digest.
    public init<Hash: Sendable, Digest: Sequence<UInt8> & SendableMetatype>(
        _ expected: String, of hash: Hash, update: @escaping @Sendable (inout Hash, Data) -> Void,
        finish: @escaping @Sendable (Hash) -> Digest
    ) {
        self.expected = expected.lowercased()
        makeDigest = { HashDigest(hash: hash, addBytes: update, finish: finish) }
    }
}

/// The computation of a digest.
protocol RunningDigest {
    mutating func update(_ bytes: Data)
    /// The digest of the bytes so far, hexadecimal and in lower case.
    var hexadecimal: String { get }
}

private struct HashDigest<Hash, Digest: Sequence<UInt8>>: RunningDigest {
    var hash: Hash
    let addBytes: (inout Hash, Data) -> Void
    let finish: (Hash) -> Digest

    mutating func update(_ bytes: Data) { addBytes(&hash, bytes) }

    var hexadecimal: String {
        finish(hash).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
