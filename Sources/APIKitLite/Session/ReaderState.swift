/// What the reader of a body does.
package enum ReaderState: Equatable, Sendable {
    /// It has taken everything that arrived, so many bytes, and waits for more.
    case waiting(afterBytes: Int)
    /// It has not asked for the next piece.
    case busy
    /// It has left before the end.
    case left
}
