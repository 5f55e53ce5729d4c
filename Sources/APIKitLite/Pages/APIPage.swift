import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One page, and how it and the next one are asked for.
public struct APIPage<Input, Value> {
    /// What this page was asked for with.
    public let input: Input

    /// What ``APIRequest/parseResponse(data:response:)`` made of the answer.
    public let value: Value

    /// The status and the headers of the answer.
    public let http: HTTPURLResponse

    /// Where to go on; nil after the last page, also where the server named a page that was already
    /// loaded. It is there at the page that ``APIPages`` stopped at because of its limit.
    public let next: Input?

    /// A page from its pieces.
    public init(input: Input, value: Value, http: HTTPURLResponse, next: Input?) {
        self.input = input
        self.value = value
        self.http = http
        self.next = next
    }
}

extension APIPage: Sendable where Input: Sendable, Value: Sendable {}
