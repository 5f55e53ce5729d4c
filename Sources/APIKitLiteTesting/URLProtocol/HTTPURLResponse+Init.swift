import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

extension HTTPURLResponse {
    /// A 200 without headers, as on Apple platforms, where the talk's tests call it.
    ///
    /// A mock delivers it under the URL of the request.
    public convenience init() {
        self.init(
            url: .unnamed, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)!
    }
}
#endif
