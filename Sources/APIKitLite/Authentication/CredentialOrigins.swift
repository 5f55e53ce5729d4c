import Foundation

/// The origins that receive a credential.
struct CredentialOrigins: Sendable {
    /// If nil, every origin receives it.
    private let origins: Set<[String]>?
    /// A URL without a scheme or a host.
    private let unusable: URL?

    init(_ urls: [URL]) {
        unusable = urls.first { $0.scheme == nil || ($0.host() ?? "").isEmpty }
        origins = urls.isEmpty ? nil : Set(urls.map(\.origin))
    }

    /// - Throws: ``RequestBuildingError`` if a URL has no scheme or host, because no request would
    ///   receive the credential.
    func contain(_ url: URL?) throws -> Bool {
        if let unusable {
            throw RequestBuildingError(
                "The credential's URL", unusable.absoluteString,
                "has no host. Begin it with a scheme and a host, such as https://api.example.com.")
        }
        return url.map { origins?.contains($0.origin) ?? true } ?? false
    }

    /// Returns why a request was sent without the credential.
    func hint(for request: URLRequest) -> String? {
        guard let url = request.url, let origins else { return nil }
        func text(_ origin: [String]) -> String { "\(origin[0])://\(origin[1]):\(origin[2])" }
        let own = origins.map(text).sorted().joined(separator: " and ")
        return "The credential for \(own) was not sent, because the request goes to "
            + "\(text(url.origin))."
    }
}
