import Foundation

/// An error that says why a request cannot be built, and what to change.
///
/// The cause is a mistake in the code that builds the request, or an unusable input. Show your own
/// message to the user.
public struct RequestBuildingError: DescribedError, Equatable, Sendable {
    /// The cause and what to change, without the secrets of a URL or the value of a header.
    public let description: String

    init(_ subject: String, _ name: String, _ problem: String) {
        self.init("\(subject) \(Redaction.standard.url(name).debugDescription) \(problem)")
    }

    init(_ description: String) {
        self.description = description
    }
}

extension RequestBuildingError: DeveloperError {}
