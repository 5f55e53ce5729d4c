import APIKitLite
import Foundation

// Responses that break off before their end, and responses with configuration errors.
extension MockResponse {
    /// Returns a response that breaks off with an error after a number of bytes of its body.
    ///
    /// If the body has fewer bytes, the error follows the whole body, as if the response had
    /// announced a longer body. A redirect, or a response that cannot have a body, such as a 204 or
    /// a response to a `HEAD`, fails before its headers. Calling this method on a stream, a
    /// ``passthrough(to:)``, an error or ``hanging`` is a configuration error.
    ///
    /// A data delegate receives the bytes before the error. A completion handler and `data(for:)`
    /// receive only the error. Over a socket, the server closes the connection after those bytes,
    /// and the client reports its own error.
    ///
    /// - Parameters:
    ///   - count: The number of bytes. A negative number is a configuration error.
    ///   - code: The code of the error.
    /// - Returns: The response that breaks off.
    public func failing(
        afterBytes count: Int, with code: URLError.Code = .networkConnectionLost
    ) -> MockResponse {
        guard count >= 0 else {
            return wrong("failing(afterBytes: \(count)): a count must not be negative.")
        }
        if let wrong = wrongIfFixed("failing(afterBytes: \(count))", needsHead: true) {
            return wrong
        }
        return with(\.ending, .failure(URLError(code), afterBytes: count))
    }

    /// Returns the response with a configuration error. Only the first error is kept.
    func wrong(_ configurationError: String) -> MockResponse {
        with(\.configurationError, self.configurationError ?? configurationError)
    }

    /// If other code decides what is sent, or if the call needs headers that the response lacks,
    /// returns the response with a configuration error that names the call. Otherwise returns nil.
    func wrongIfFixed(_ call: @autoclosure () -> String, needsHead: Bool = false) -> MockResponse? {
        switch ending {
        case _ where source != nil:
            wrong(
                "\(call()): the code that sends a .stream decides about its pieces, its pace and its "
                    + "errors.")
        case _ where session != nil:
            wrong(
                "\(call()): the real session decides the response of a .passthrough. Change that with "
                    + ".passthrough(to: session.intercepting { … }).")
        case .failure(_, nil) where needsHead, .silence(nil) where needsHead:
            wrong("\(call()): the response is an error or .hanging, so it has no body and no head.")
        default: nil
        }
    }
}
