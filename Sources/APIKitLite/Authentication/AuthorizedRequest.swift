import Foundation

/// A request to which a credential was added, and the generation of that credential.
struct AuthorizedRequest {
    let request: URLRequest
    /// The generation of the credential: see `CredentialState.generation`.
    let generation: Int
}

extension AuthorizedRequest: OpaquelyReflected {
    /// The method, the redacted URL and the generation, without the credential.
    var description: String {
        let url = Redaction.standard.url(request.url?.absoluteString ?? "(no URL)")
        return "\(request.httpMethod ?? "GET") \(url), with credential \(generation)"
    }
}
