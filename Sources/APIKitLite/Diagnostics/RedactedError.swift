/// An error whose description shows no secret, so that it is shown as it is.
package protocol RedactedError: Error, CustomStringConvertible {}

extension APIRequestError: RedactedError {}

/// An error whose cause is another request that failed, such as the refresh of a credential.
package protocol CausedByRequest: RedactedError {
    /// A sentence that says what the other request was for.
    var summary: String { get }
    /// Why the other request failed.
    var underlying: APIRequestError { get }
}
