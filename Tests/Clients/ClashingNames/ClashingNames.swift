import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The public name of Alamofire 5 that APIKitLite has as well.

open class RetryPolicy: @unchecked Sendable {  // Its only property is a constant.
    public let retryLimit: UInt

    public init(retryLimit: UInt = 2) {
        self.retryLimit = retryLimit
    }
}
