import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What `dump(_:)`, a debugger and a failed expectation show of a value that holds a credential: its
/// description, and none of its parts.
package protocol OpaquelyReflected: CustomReflectable, CustomStringConvertible {}

extension OpaquelyReflected {
    /// The description alone.
    public var customMirror: Mirror {
        Mirror(self, children: [], displayStyle: .struct, ancestorRepresentation: .suppressed)
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable, OpaquelyReflected {
    /// Whether there is a credential, and nothing of it.
    public var description: String {
        "Credentials (\(credential == nil ? "none" : "signed in"))"
    }
}

extension BasicAuthenticator.Credential: CustomStringConvertible, CustomReflectable,
    OpaquelyReflected
{
    /// The user, without the password.
    public var description: String { "user \(user), password \(Redaction.mark)" }
}

extension APIRequestError: CustomReflectable, OpaquelyReflected {}

extension ExchangeEvent: CustomReflectable, OpaquelyReflected {}

extension AuthorizedRequest: OpaquelyReflected {
    var description: String {
        let url = Redaction.standard.url(request.url?.absoluteString ?? "(no URL)")
        return "\(request.httpMethod ?? "GET") \(url), with credential \(generation)"
    }
}

/// No credential that is kept.
extension CredentialState: OpaquelyReflected {
    var description: String { "credential \(generation)" }
}
