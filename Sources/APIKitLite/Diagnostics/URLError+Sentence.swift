import Foundation

extension URLError {
    /// Creates a `URLError` from an error that is a `URLError`, or an `NSError` in the domain
    /// `NSURLErrorDomain`. Returns `nil` for any other error.
    init?(from error: any Error) {
        if let error = error as? URLError {
            self = error
            return
        }
        // On Apple platforms, the cast above also converts an `NSError`. This cast goes through
        // `Any`, because the compiler assumes that a cast from `any Error` to `NSError` always
        // succeeds.
        let anything: Any = error
        guard let error = anything as? NSError, error.domain == NSURLErrorDomain else { return nil }
        self.init(_nsError: error)
    }

    /// A sentence for the user. On Linux, `localizedDescription` is often not a sentence.
    var sentence: String {
        switch code {
        case .timedOut: "The request timed out."
        case .notConnectedToInternet: "The internet connection appears to be offline."
        case .networkConnectionLost: "The network connection was lost."
        case .cannotFindHost, .dnsLookupFailed: "The server could not be found."
        case .cannotConnectToHost: "The server could not be reached."
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
            "The server's certificate is not trusted."
        case .serverCertificateHasBadDate: "The server's certificate has expired."
        case .serverCertificateNotYetValid: "The server's certificate is not valid yet."
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired:
            "A secure connection to the server could not be made."
        case .appTransportSecurityRequiresSecureConnection:
            "The server's address is not secure, and the system allows only https."
        case .badURL, .unsupportedURL: "The server's address cannot be used."
        case .httpTooManyRedirects: "The server redirected the request too many times."
        case .redirectToNonExistentLocation:
            "The server redirected the request to an address that cannot be used."
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData,
            .cannotDecodeContentData, .zeroByteResource:
            "The server's response could not be understood."
        case .dataLengthExceedsMaximum: "The server sent too much data."
        case .resourceUnavailable, .fileDoesNotExist, .noPermissionsToReadFile,
            .cannotLoadFromNetwork:
            "The server's data is not available."
        case .dataNotAllowed: "Mobile data is not allowed for this app."
        case .internationalRoamingOff: "Data roaming is switched off."
        case .callIsActive: "The network cannot be used during a call."
        case .userAuthenticationRequired, .userCancelledAuthentication:
            "The server asks for a login."
        case .cancelled: "The request was stopped before a response arrived."
        default: "The request failed (network error \(code.rawValue))."
        }
    }
}
