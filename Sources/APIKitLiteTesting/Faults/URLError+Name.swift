import Foundation

extension URLError {
    /// The codes of ``Fault/errors`` and their names, which Foundation does not provide.
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

    /// Returns the name of a code, such as `URLError.timedOut`, or the number of a code without a
    /// name.
    static func name(of code: Code) -> String {
        named.first { $0.code == code }.map { "URLError.\($0.name)" }
            ?? "URLError \(code.rawValue)"
    }
}
