/// The part of a response that ``HTTPSession/send(_:awaiting:)`` waits for.
public enum ResponsePart: Hashable, Sendable {
    /// The whole response. The body is complete: ``HTTPBody/data`` has all bytes.
    case body
    /// The headers. The body follows in pieces.
    ///
    /// `limit` is the number of bytes that may wait for the reader; a value below 1 counts as 1. If
    /// more arrive, the body ends with ``TransportError/bodyLimit(_:)``. `hasSteadyReader` says that the reader
    /// always comes back soon, as one that writes a file does. Then a `URLSession` on Linux waits
    /// up to 10 seconds for it, and not 100 milliseconds, before more than 2 MiB wait.
    case head(limit: Int = ResponsePart.standardLimit, hasSteadyReader: Bool = false)

    /// The number of bytes that may wait for the reader of a stream by default: 64 MiB.
    public static let standardLimit = 64 * 1024 * 1024
}
