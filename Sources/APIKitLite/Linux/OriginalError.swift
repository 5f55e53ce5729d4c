import Foundation

/// Returns an error from which `originalError(of:)` can recover the given one.
///
/// On Apple platforms, Foundation replaces the error of a `URLProtocol` with a new `NSError` that
/// has additional keys, so a Swift error loses its type. The new error keeps the keys of the old
/// one, so the original is stored under a separate key. On Linux, the error is returned
/// unchanged.
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

/// Returns the error that a client is to see in place of Foundation's error.
///
/// On Apple platforms, it is the error that `carryingOriginal(_:)` stored. On Linux, a connection
/// that ended too early gets the code that it has on Apple platforms.
package func originalError(of error: any Error) -> any Error {
    #if canImport(FoundationNetworking)
    return named(error)
    #else
    return (error as NSError).userInfo[originalErrorKey] as? any Error ?? error
    #endif
}

private let originalErrorKey = "APIKitLite.originalError"

#if canImport(FoundationNetworking)
/// Returns `URLError.networkConnectionLost` for a connection that ended too early, and any other
/// error unchanged.
///
/// Foundation on Linux reports `.unknown` or `.badServerResponse`. Retry policies expect the code
/// of Apple platforms.
private func named(_ error: any Error) -> any Error {
    guard let error = error as? URLError, [.unknown, .badServerResponse].contains(error.code),
        let text = error.userInfo[NSLocalizedDescriptionKey] as? String,
        tellsOfALostConnection(text)
    else { return error }
    return URLError(.networkConnectionLost, userInfo: error.userInfo)
}

/// Whether a text of libcurl says that a connection, or a stream of HTTP/2, ended too early.
private func tellsOfALostConnection(_ text: String) -> Bool {
    // Within a body of known length or in chunks.
    text.hasPrefix("transfer closed with ")
        // Before or within the status line.
        || text == "Empty reply from server"
        // While the body of the request was sent.
        || text == "Send failure: Broken pipe"
        // The server ended one stream too early, or the whole connection.
        || text.hasPrefix("HTTP/2 stream ")
        || text == "Error in the HTTP2 framing layer"
}
#endif
