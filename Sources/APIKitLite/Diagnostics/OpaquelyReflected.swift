import Foundation

/// A value that may hold a credential, of which `dump(_:)`, a debugger and a failed expectation
/// show only the description.
package protocol OpaquelyReflected: CustomReflectable, CustomStringConvertible {}

extension OpaquelyReflected {
    /// A mirror without children, so that only the description is shown.
    public var customMirror: Mirror {
        Mirror(self, children: [], displayStyle: .struct, ancestorRepresentation: .suppressed)
    }
}
