import Foundation

/// A text with marked secrets, such as `token=«hunter2»`.
struct Marked: ExpressibleByStringInterpolation, Sendable {
    /// The text without the marks.
    let text: String
    /// What is shown of it: `REDACTED` for each secret, and 0 for a number.
    let shown: String

    init(stringLiteral marked: String) {
        text = marked.replacing(/[«»]/, with: "")
        shown = marked.replacing(/«(.*?)»/) { Int($0.1) == nil ? "REDACTED" : "0" }
    }
}
