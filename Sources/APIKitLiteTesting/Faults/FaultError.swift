import APIKitLite
import Foundation

/// An error that `forEachFault` throws, with the faults under which a client failed a requirement.
public struct FaultError: DescribedError, Sendable {
    /// One line for each kind of failure, and advice on what the client must do.
    public let description: String
}
