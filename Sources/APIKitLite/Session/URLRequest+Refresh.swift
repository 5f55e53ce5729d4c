import Foundation

extension URLRequest {
    private static let mark = "APIKitLite.refresh"

    /// Whether this is the refresh of a credential: it is sent without a credential, and is
    /// redirected to no other origin.
    ///
    /// The mark is the fragment of `mainDocumentURL`, the only property of a request that is never
    /// sent and that Foundation keeps on every platform.
    var isRefresh: Bool { mainDocumentURL?.fragment == Self.mark }

    /// Returns this request, marked as the refresh of a credential.
    func markedAsRefresh() -> URLRequest {
        guard let url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            return self
        }
        parts.fragment = Self.mark
        var request = self
        request.mainDocumentURL = parts.url
        return request
    }

    /// The error if this request follows a redirect of a refresh to another origin.
    package var refusal: TransportError? {
        guard isRefresh, let url, let first = mainDocumentURL, url.origin != first.origin else {
            return nil
        }
        return .refusedRedirect(from: first.originText, to: url.originText)
    }
}

extension URL {
    /// The origin as text, such as `https://auth.example.com`. It has a port if the URL has one.
    fileprivate var originText: String {
        let host = host() ?? ""
        let port = port.map { ":\($0)" } ?? ""
        return "\(scheme ?? "")://" + (host.contains(":") ? "[\(host)]" : host) + port
    }
}
