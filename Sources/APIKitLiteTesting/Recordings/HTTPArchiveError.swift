import APIKitLite
import Foundation

/// The reason why a recording cannot be read, replayed or written.
public struct HTTPArchiveError: DescribedError, Sendable {
    /// What is wrong, in which file and where in it, and how to correct it.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
