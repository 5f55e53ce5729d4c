import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The task delegate of an exchange, which also asks the session's own delegate.
///
/// The mock recognizes the tasks of ``HTTPSession/exchange(_:)`` by this type.
package protocol ExchangeDelegate: URLSessionTaskDelegate {}
