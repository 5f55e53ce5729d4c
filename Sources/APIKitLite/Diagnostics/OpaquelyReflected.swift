import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What `dump(_:)`, a debugger and a failed expectation show of a value that holds a credential: its
/// description, and none of its parts.
package protocol OpaquelyReflected: CustomReflectable, CustomStringConvertible {}

extension OpaquelyReflected {
    /// The description alone.
    public var customMirror: Mirror {
        Mirror(self, children: [], displayStyle: .struct, ancestorRepresentation: .suppressed)
    }
}
