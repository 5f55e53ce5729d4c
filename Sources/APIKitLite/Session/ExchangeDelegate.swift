import Foundation

/// The task delegate of an exchange, which also asks the session's own delegate.
///
/// The mock recognizes the tasks of ``HTTPSession/exchange(_:)`` by this type.
package protocol ExchangeDelegate: URLSessionTaskDelegate {
    /// Returns the delegate of the app's session, which is asked as well.
    ///
    /// - Parameter session: The session of the task, which may not be the app's.
    func appDelegate(of session: URLSession) -> (any URLSessionTaskDelegate)?
}
