import Foundation

/// An error that says why a request cannot be built, and what to change.
///
/// It is a mistake in the code that builds the request, or an input that allows no request. An app
/// shows its own text for it.
public struct RequestBuildingError: DescribedError, RedactingError, Equatable, Sendable {
    private let subject: String?
    private var quoted: String?
    private var problem: String?

    init(_ subject: String?, _ quoted: String, _ problem: String) {
        (self.subject, self.quoted, self.problem) = (subject, quoted, problem)
    }

    init(_ description: String) {
        subject = description
    }

    /// The cause and what to change, with the secrets of a URL removed, and without the value of a
    /// header.
    public var description: String { text(redacting: .standard) }

    func text(redacting redaction: Redaction) -> String {
        let parts = [subject, quoted.map { redaction.url($0).debugDescription }, problem]
        return redaction.text(parts.compactMap(\.self).joined(separator: " "))
    }

    var needsBody: Bool { true }
}

extension RequestBuildingError: DeveloperError {}
