import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ExchangeEvent: Equatable {
    /// Whether two events say the same.
    ///
    /// Requests are compared by method, URL, headers and body. Errors are equal if they are
    /// `URLError`s of one code, ``APIRequestError``s with the same stage, request, status, body and
    /// underlying error, equal values of one `Equatable` type, or values of one type whose texts
    /// are the same.
    public static func == (left: ExchangeEvent, right: ExchangeEvent) -> Bool {
        switch (left, right) {
        case (.started(let id, let request), .started(let otherID, let other)):
            id == otherID && request.says(other)
        case (
            .answered(let id, let request, let status, let bytes, let duration),
            .answered(let otherID, let other, let otherStatus, let otherBytes, let otherDuration)
        ):
            id == otherID && status == otherStatus && bytes == otherBytes
                && duration == otherDuration && request.says(other)
        case (
            .failed(let id, let request, let error, let duration),
            .failed(let otherID, let other, let otherError, let otherDuration)
        ):
            id == otherID && duration == otherDuration && request.says(other)
                && areEqual(error, otherError)
        case (.rejected(let error), .rejected(let other)):
            areEqual(error, other)
        default:
            false
        }
    }
}

extension URLRequest {
    /// Whether both send the same. On Linux `==` looks at the URL alone.
    fileprivate func says(_ other: URLRequest) -> Bool {
        (httpMethod ?? "GET") == (other.httpMethod ?? "GET")
            && url?.absoluteString == other.url?.absoluteString
            && headers == other.headers && httpBody == other.httpBody
            // What is in a stream can be read only once.
            && (httpBodyStream == nil) == (other.httpBodyStream == nil)
    }

    private var headers: [String: String] {
        var headers: [String: String] = [:]
        for (name, value) in allHTTPHeaderFields ?? [:] { headers[name.lowercased()] = value }
        return headers
    }
}

private func areEqual(_ left: any Error, _ right: any Error) -> Bool {
    if let left = URLError(from: left), let right = URLError(from: right) {
        return left.code == right.code
    }
    if let left = left as? APIRequestError, let right = right as? APIRequestError {
        return left.stage == right.stage && left.statusCode == right.statusCode
            && left.data == right.data && areEqual(left.underlying, right.underlying)
            && (left.request.map { request in right.request.map(request.says) ?? false }
                ?? (right.request == nil))
    }
    // A detour, since the compiler takes any error for an `NSError`, which is `Equatable`.
    let anything: Any = left
    if let left = anything as? any Equatable { return left.isEqual(to: right) }
    return type(of: left) == type(of: right)
        && String(reflecting: left) == String(reflecting: right)
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool {
        (other as? Self) == self
    }
}
