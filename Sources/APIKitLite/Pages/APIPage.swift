import Foundation

/// One page, with its own input and that of the next page.
public struct APIPage<Input, Value> {
    /// The input that this page was loaded with.
    public let input: Input

    /// The value that ``APIRequest/parseResponse(data:response:)`` returned.
    public let value: Value

    /// The status and the headers of the response.
    public let http: HTTPURLResponse

    /// The input of the next page. Nil if this is the last page, or if the response names a page
    /// that was already loaded. It is not nil if ``APIPages`` stops here only because of its limit.
    public let next: Input?

    /// Creates a page from its parts.
    ///
    /// - Parameters:
    ///   - input: The input that the page was loaded with.
    ///   - value: The parsed value.
    ///   - http: The status and the headers of the response.
    ///   - next: The input of the next page, or nil.
    public init(input: Input, value: Value, http: HTTPURLResponse, next: Input?) {
        self.input = input
        self.value = value
        self.http = http
        self.next = next
    }
}

extension APIPage: Sendable where Input: Sendable, Value: Sendable {}
