import TestSupport

@testable import APIKitLite

/// An app's error with a text for everybody.
struct Refusal: LocalizedError, CustomStringConvertible {
    let description: String
    var errorDescription: String? { description }
}

/// An app's error with a text for a developer only.
struct Failure: Error, CustomStringConvertible { let description: String }

extension APIRequestError {
    /// What a developer and a user read of it, and the lines of a log about it.
    var texts: [String] {
        [
            description, localizedDescription, ExchangeEvent(rejected: self, id: 1).description,
            ExchangeEvent(.failed(underlying), id: 1, request ?? .plain("https://h")).description,
        ]
    }
}

extension HTTPURLResponse {
    /// A response with a content type, or without one.
    static func typed(_ type: String?, _ status: Int = 200) -> HTTPURLResponse {
        .status(status, headers: type.map { ["Content-Type": $0] } ?? [:])
    }
}
