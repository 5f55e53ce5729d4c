import Foundation

/// Carries a mock's own error through Foundation.
///
/// On Apple platforms an error that a `URLProtocol` fails with reaches the client as a new
/// `NSError` with more keys: a Swift error loses its type. The copy keeps the other keys, so the
/// original travels under one of its own, and ``originalError(of:)`` finds it again.
package func carryingOriginal(_ error: any Error) -> any Error {
    #if canImport(FoundationNetworking)
    return error
    #else
    let bridged = error as NSError
    return NSError(
        domain: bridged.domain, code: bridged.code,
        userInfo: bridged.userInfo.merging([originalErrorKey: error]) { _, new in new })
    #endif
}

package func originalError(of error: any Error) -> any Error {
    #if canImport(FoundationNetworking)
    return error
    #else
    return (error as NSError).userInfo[originalErrorKey] as? any Error ?? error
    #endif
}

private let originalErrorKey = "APIKitLite.originalError"
