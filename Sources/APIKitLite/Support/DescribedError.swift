import Foundation

/// An error whose `localizedDescription` is its description.
package protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}
