import Foundation

extension ExchangeEvent: Equatable {
    /// Whether two events have the same case and equal values.
    ///
    /// Requests are compared by method, URL, headers and body. Of two files only URL and size are
    /// compared, of two other body streams only their presence. Two errors are equal if they are
    /// - `URLError`s with the same code,
    /// - ``APIRequestError``s with the same stage, request, status, body and underlying error,
    /// - equal values of the same `Equatable` type, or
    /// - values of the same type with the same debug description.
    ///
    /// - Parameters:
    ///   - left: An event.
    ///   - right: The event to compare it with.
    public static func == (left: ExchangeEvent, right: ExchangeEvent) -> Bool {
        switch (left, right) {
        case (.started(let id, let request), .started(let otherID, let other)):
            id == otherID && request.matches(other)
        case (
            .answered(let id, let request, let status, let bytes, let duration),
            .answered(let otherID, let other, let otherStatus, let otherBytes, let otherDuration)
        ):
            id == otherID && status == otherStatus && bytes == otherBytes
                && duration == otherDuration && request.matches(other)
        case (
            .failed(let id, let request, let error, let duration),
            .failed(let otherID, let other, let otherError, let otherDuration)
        ):
            id == otherID && duration == otherDuration && request.matches(other)
                && areEqual(error, otherError)
        case (
            .opened(let id, let request, let status, let duration),
            .opened(let otherID, let other, let otherStatus, let otherDuration)
        ):
            id == otherID && status == otherStatus && duration == otherDuration
                && request.matches(other)
        case (
            .closed(let id, let request, let bytes, let ending, let duration),
            .closed(let otherID, let other, let otherBytes, let otherEnding, let otherDuration)
        ):
            id == otherID && bytes == otherBytes && duration == otherDuration
                && request.matches(other) && areEqual(ending, otherEnding)
        case (.rejected(let error), .rejected(let other)):
            areEqual(error, other)
        default:
            false
        }
    }
}

extension URLRequest {
    /// Whether both requests have the same method, URL, headers and body.
    ///
    /// On Linux `==` compares the URL alone.
    fileprivate func matches(_ other: URLRequest) -> Bool {
        (httpMethod ?? "GET") == (other.httpMethod ?? "GET")
            && url?.absoluteString == other.url?.absoluteString
            && headers == other.headers && httpBody == other.httpBody
            // A stream can be read only once, so its content is not compared.
            && (httpBodyStream == nil) == (other.httpBodyStream == nil)
            && repeatableBody == other.repeatableBody
    }

    /// The headers by lowercase name.
    private var headers: [String: String] {
        var headers: [String: String] = [:]
        for (name, value) in allHTTPHeaderFields ?? [:] { headers[name.lowercased()] = value }
        return headers
    }
}

/// Whether two streams ended in the same way, with equal errors.
private func areEqual(_ left: StreamEnding, _ right: StreamEnding) -> Bool {
    switch (left, right) {
    case (.complete, .complete), (.left, .left): true
    case (.failed(let left), .failed(let right)): areEqual(left, right)
    case (.complete, _), (.left, _), (.failed, _): false
    }
}

/// Whether two errors are equal, as described at `ExchangeEvent.==`.
private func areEqual(_ left: any Error, _ right: any Error) -> Bool {
    if let left = URLError(from: left), let right = URLError(from: right) {
        return left.code == right.code
    }
    if let left = left as? APIRequestError, let right = right as? APIRequestError {
        return left.stage == right.stage && left.statusCode == right.statusCode
            && left.data == right.data && areEqual(left.underlying, right.underlying)
            && (left.request.map { request in right.request.map(request.matches) ?? false }
                ?? (right.request == nil))
    }
    // Through `Any`: the compiler bridges every error to `NSError`, which is `Equatable`.
    let anything: Any = left
    if let left = anything as? any Equatable { return left.isEqual(to: right) }
    return type(of: left) == type(of: right)
        && String(reflecting: left) == String(reflecting: right)
}

extension Equatable {
    /// Whether a value has this type and is equal to this value.
    fileprivate func isEqual(to other: Any) -> Bool {
        (other as? Self) == self
    }
}
