import Foundation

/// The error of a body that is compressed with gzip although a parser of text got it.
public struct CompressedBodyError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// Creates the error.
    public init() {}

    /// The text for a developer, with the usual causes.
    public var description: String {
        "The body is compressed with gzip, and the session did not decompress it. Either the "
            + "server compressed it without the header \"Content-Encoding: gzip\", or it sent a "
            + "file that is compressed itself."
    }

    /// The text for a user.
    public var errorDescription: String? { "The server's answer has an unexpected format." }

    /// Throws if a body begins with the magic number of gzip (RFC 1952, section 2.3.1), which no
    /// text begins with.
    static func check(_ start: UnsafeBufferPointer<UInt8>) throws(CompressedBodyError) {
        if start.count >= 2, start[0] == 0x1f, start[1] == 0x8b { throw CompressedBodyError() }
    }
}
