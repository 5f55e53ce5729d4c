import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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

/// The error that Foundation was given, or that it should have given.
package func originalError(of error: any Error) -> any Error {
    #if canImport(FoundationNetworking)
    return named(error)
    #else
    return (error as NSError).userInfo[originalErrorKey] as? any Error ?? error
    #endif
}

private let originalErrorKey = "APIKitLite.originalError"

#if canImport(FoundationNetworking)
/// A connection that ended too early is an unknown error or a bad response on Linux. Elsewhere it has
/// a name, which retries and users know.
private func named(_ error: any Error) -> any Error {
    guard let error = error as? URLError, [.unknown, .badServerResponse].contains(error.code),
        let text = error.userInfo[NSLocalizedDescriptionKey] as? String,
        // libcurl's words: within a body, of either framing, and before or in the first line.
        text.hasPrefix("transfer closed with ") || text == "Empty reply from server"
    else { return error }
    return URLError(.networkConnectionLost, userInfo: error.userInfo)
}
#endif
