#if canImport(FoundationNetworking)
import TestSupport

@testable import APIKitLite

@Suite(.limited) struct LostConnectionTests {
    /// The texts of libcurl, one on each line, with the code that their error gets.
    @Test(
        arguments: [
            .networkConnectionLost: """
            transfer closed with 7 bytes remaining to read
            transfer closed with outstanding read data remaining
            Empty reply from server
            Send failure: Broken pipe
            Send failure: Connection reset by peer
            Recv failure: Connection reset by peer
            OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to localhost:443\u{20}
            OpenSSL SSL_read: OpenSSL/3.0.19: error:0A000126:SSL routines::unexpected eof \
            while reading, errno 0
            HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)
            HTTP/2 stream 3 was reset
            Error in the HTTP2 framing layer
            Stream error in the HTTP/2 framing layer
            Connection died, tried 5 times before giving up
            SSL_write() error: error:0A00010F:SSL routines::bad length
            """,
            .cannotConnectToHost: """
            Failed to connect to 255.255.255.255 port 80 after 0 ms: Couldn't connect to server
            Failed to connect to localhost port 80 after 1 ms: Could not connect to server
            """,
            .serverCertificateHasBadDate: "SSL certificate problem: certificate has expired",
            .serverCertificateNotYetValid: "SSL certificate problem: certificate is not yet valid",
            .serverCertificateUntrusted: """
            SSL certificate problem: self-signed certificate
            SSL certificate problem: self-signed certificate in certificate chain
            SSL certificate problem: unable to get local issuer certificate
            SSL certificate problem: unsuitable certificate purpose
            SSL: no alternative certificate subject name matches target host name '127.0.0.1'
            SSL: certificate subject name 'a' does not match target host name 'localhost'
            """,
            .secureConnectionFailed: """
            OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number
            OpenSSL/3.0.19: error:0A000410:SSL routines::sslv3 alert handshake failure
            """,
            .unknown: """
            Received HTTP/0.9 when not allowed
            CONNECT tunnel failed, response 407
            """,
        ] as [URLError.Code: String])
    func hasTheCodeOfItsCause(_ code: URLError.Code, _ texts: String) {
        for text in texts.components(separatedBy: "\n") {
            for old in [URLError.Code.unknown, .badServerResponse] {
                let error = URLError(old, userInfo: [NSLocalizedDescriptionKey: text])
                let named = originalError(of: error) as? URLError
                #expect(named?.code == (code == .unknown ? old : code), "\(text)")
                #expect(named?.localizedDescription == text)
            }
            // A code of Foundation's stays.
            let error = URLError(.cannotConnectToHost, userInfo: [NSLocalizedDescriptionKey: text])
            #expect((originalError(of: error) as? URLError)?.code == .cannotConnectToHost)
        }
        let isRetried = [.networkConnectionLost, .cannotConnectToHost].contains(code)
        #expect(RetryPolicy.standard.errorCodes.contains(code) == isRetried)
    }
}
#endif
