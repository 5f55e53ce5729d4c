import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

extension HTTPURLResponse {
    /// Creates a response with the status 200 and no headers.
    ///
    /// Apple platforms have this initializer, and the tests of WWDC 2018 session 417 call it. A
    /// mock delivers the response with the URL of the request.
    public convenience init() {
        self.init(
            url: .unnamed, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)!
    }
}
#endif
