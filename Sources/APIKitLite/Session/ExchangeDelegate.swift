import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The delegate that an exchange gives its task, and that asks the session's own.
package protocol ExchangeDelegate: URLSessionTaskDelegate {}
