import Foundation

/// An error that says why a request cannot be built, and what to change.
///
/// It is a mistake in the code that builds the request, or an input that allows no request. An app
/// shows its own text for it.
public struct RequestBuildingError: DescribedError, Equatable, Sendable {
    /// The cause and what to change, with the secrets of a URL removed, and without the value of a
    /// header.
    public let description: String

    init(_ subject: String, _ name: String, _ problem: String) {
        self.init("\(subject) \(Redaction.standard.url(name).debugDescription) \(problem)")
    }

    init(_ description: String) {
        self.description = description
    }
}

extension RequestBuildingError: DeveloperError {}
