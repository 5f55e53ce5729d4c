import Foundation

extension URLError {
    /// Names and codes, since Foundation has no names for its codes at run time.
    static let named: [(code: Code, name: String)] = [
        (.timedOut, "timedOut"), (.notConnectedToInternet, "notConnectedToInternet"),
        (.networkConnectionLost, "networkConnectionLost"), (.cannotFindHost, "cannotFindHost"),
        (.dnsLookupFailed, "dnsLookupFailed"), (.cannotConnectToHost, "cannotConnectToHost"),
        (.secureConnectionFailed, "secureConnectionFailed"),
        (.serverCertificateUntrusted, "serverCertificateUntrusted"),
        (.serverCertificateHasBadDate, "serverCertificateHasBadDate"),
        (
            .appTransportSecurityRequiresSecureConnection,
            "appTransportSecurityRequiresSecureConnection"
        ),
        (.dataNotAllowed, "dataNotAllowed"), (.internationalRoamingOff, "internationalRoamingOff"),
        (.callIsActive, "callIsActive"), (.badServerResponse, "badServerResponse"),
        (.cannotParseResponse, "cannotParseResponse"),
        (.cannotDecodeContentData, "cannotDecodeContentData"),
        (.httpTooManyRedirects, "httpTooManyRedirects"), (.cancelled, "cancelled"),
    ]

    static func name(of code: Code) -> String {
        named.first { $0.code == code }.map { "URLError.\($0.name)" }
            ?? "URLError \(code.rawValue)"
    }
}
