#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import APIKitLite

@Suite(.limited) struct LostConnectionTests {
    // The texts of libcurl, with the code that Foundation on Linux gives them.
    @Test(arguments: [
        ("transfer closed with 7 bytes remaining to read", URLError.Code.badServerResponse),
        ("transfer closed with outstanding read data remaining", .unknown),
        ("Empty reply from server", .unknown),
        ("Send failure: Broken pipe", .unknown),
        ("Send failure: Connection reset by peer", .unknown),
        ("Recv failure: Connection reset by peer", .unknown),
        ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to localhost:443 ", .unknown),
        (
            """
            OpenSSL SSL_read: OpenSSL/3.0.19: error:0A000126:SSL routines::unexpected eof while \
            reading, errno 0
            """, .unknown
        ),
        ("HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)", .unknown),
        ("HTTP/2 stream 3 was reset", .unknown),
        ("Error in the HTTP2 framing layer", .unknown),
        ("Stream error in the HTTP/2 framing layer", .unknown),
        ("Connection died, tried 5 times before giving up", .unknown),
        ("SSL_write() error: error:0A00010F:SSL routines::bad length", .unknown),
    ])
    func hasACodeThatPoliciesRetry(_ text: String, _ code: URLError.Code) {
        let error = URLError(code, userInfo: [NSLocalizedDescriptionKey: text])

        let named = originalError(of: error) as? URLError

        #expect(named?.code == .networkConnectionLost)
        #expect(named?.localizedDescription == text)
    }

    @Test(arguments: [
        ("SSL certificate problem: certificate has expired", URLError.serverCertificateHasBadDate),
        ("SSL certificate problem: certificate is not yet valid", .serverCertificateNotYetValid),
        ("SSL certificate problem: self-signed certificate", .serverCertificateUntrusted),
        (
            "SSL certificate problem: self-signed certificate in certificate chain",
            .serverCertificateUntrusted
        ),
        (
            "SSL certificate problem: unable to get local issuer certificate",
            .serverCertificateUntrusted
        ),
        ("SSL certificate problem: unsuitable certificate purpose", .serverCertificateUntrusted),
        (
            "SSL: no alternative certificate subject name matches target host name '127.0.0.1'",
            .serverCertificateUntrusted
        ),
        (
            "SSL: certificate subject name 'a' does not match target host name 'localhost'",
            .serverCertificateUntrusted
        ),
        (
            "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number",
            .secureConnectionFailed
        ),
        (
            "OpenSSL/3.0.19: error:0A000410:SSL routines::sslv3 alert handshake failure",
            .secureConnectionFailed
        ),
        ("Received HTTP/0.9 when not allowed", .unknown),
        ("CONNECT tunnel failed, response 407", .unknown),
    ])
    func anyOtherTextHasTheCodeOfItsCause(_ text: String, _ code: URLError.Code) {
        let error = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text])

        let named = originalError(of: error) as? URLError

        #expect(named?.code == code)
        #expect(!RetryPolicy.standard.errorCodes.contains(code))
    }

    @Test func aCodeOfFoundationStays() {
        let error = URLError(
            .cannotConnectToHost, userInfo: [NSLocalizedDescriptionKey: "Send failure: Broken pipe"]
        )

        #expect((originalError(of: error) as? URLError)?.code == .cannotConnectToHost)
    }
}
#endif
