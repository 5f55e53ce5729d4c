/// How the body of a stream ended, as an ``ExchangeObserver`` reports it.
public enum StreamEnding: Sendable {
    /// The whole body was read.
    case complete
    /// The body ended with an error, such as a lost connection or a timeout.
    case failed(any Error)
    /// The reader left the loop before the end, or its task was cancelled.
    case left
}
