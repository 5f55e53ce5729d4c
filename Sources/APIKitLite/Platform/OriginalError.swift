import Foundation

/// Returns an error from which `originalError(of:)` can recover the given error.
///
/// On Apple platforms, Foundation replaces an error from a `URLProtocol` with a new `NSError` that
/// has additional keys, so a Swift error loses its type. The new error keeps the keys of the
/// replaced error, so this function stores the original error under a key. On Linux, the error is
/// returned unchanged.
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

/// Returns the error to throw in place of Foundation's error.
///
/// On Apple platforms, this is the error that `carryingOriginal(_:)` stored, if any. On Linux, a
/// missing or lost connection or a TLS failure that libcurl's text names gets the same code as on
/// Apple platforms.
func originalError(of error: any Error) -> any Error {
    #if canImport(FoundationNetworking)
    // Foundation on Linux reports `.unknown` or `.badServerResponse` for these failures, but retry
    // policies expect the codes used on Apple platforms.
    guard let error = error as? URLError, [.unknown, .badServerResponse].contains(error.code),
        let text = error.userInfo[NSLocalizedDescriptionKey] as? String, let code = code(of: text)
    else { return error }
    return URLError(code, userInfo: error.userInfo)
    #else
    return (error as NSError).userInfo[originalErrorKey] as? any Error ?? error
    #endif
}

private let originalErrorKey = "APIKitLite.originalError"

#if canImport(FoundationNetworking)
/// Returns the code for the cause that libcurl's text (with OpenSSL 3) names, or nil if unknown.
private func code(of text: String) -> URLError.Code? {
    if text.hasPrefix("SSL certificate problem: ") {
        if text.hasSuffix("certificate has expired") { return .serverCertificateHasBadDate }
        if text.hasSuffix("certificate is not yet valid") { return .serverCertificateNotYetValid }
        return .serverCertificateUntrusted
    }
    // The certificate is for another host.
    if text.hasPrefix("SSL: ") { return .serverCertificateUntrusted }
    if tellsOfALostConnection(text) { return .networkConnectionLost }
    // Foundation has a code for a refused connection, but not for every other cause, such as a host
    // that cannot be reached.
    if text.hasPrefix("Failed to connect to ") { return .cannotConnectToHost }
    // The client and the server share no TLS version or cipher, or the server does not use TLS.
    if text.contains(":SSL routines:") { return .secureConnectionFailed }
    return nil
}

/// Returns whether libcurl's text says that a connection, or an HTTP/2 stream, ended too early.
private func tellsOfALostConnection(_ text: String) -> Bool {
    // The connection ended within a body of known length, or within a chunked body.
    text.hasPrefix("transfer closed with ")
        // The connection ended before or within the status line.
        || text == "Empty reply from server"
        // A connection with TLS was lost. For connections without TLS, Foundation has a code for
        // most such errors.
        || text.hasSuffix(" failure: Connection reset by peer")
        || text.hasSuffix(" failure: Broken pipe")
        // The connection ended in the TLS handshake, or without the close message that TLS
        // requires.
        || text.hasPrefix("OpenSSL SSL_connect: SSL_ERROR_SYSCALL")
        || text.contains("unexpected eof while reading")
        // The server refused an HTTP/2 stream, ended the stream too early, or closed the entire
        // connection.
        || text.hasPrefix("HTTP/2 stream ")
        || text == "Error in the HTTP2 framing layer"
        || text == "Stream error in the HTTP/2 framing layer"
        || text.hasPrefix("Connection died, tried ")
        || text.hasSuffix(":SSL routines::bad length")
}
#endif
