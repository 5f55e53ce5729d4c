import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The public names of Alamofire 5 that APIKitLite has as well.

open class RetryPolicy: @unchecked Sendable {  // Its only property is a constant.
    public let retryLimit: UInt

    public init(retryLimit: UInt = 2) {
        self.retryLimit = retryLimit
    }
}

public protocol Authenticator: AnyObject {
    associatedtype Credential
    func apply(_ credential: Credential, to urlRequest: inout URLRequest)
}

public enum AuthenticationError: Error {
    case missingCredential
    case excessiveRefresh
}
