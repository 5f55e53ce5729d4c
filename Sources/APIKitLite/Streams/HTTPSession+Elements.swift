import Foundation

extension HTTPSession {
    /// Returns the elements of the response to a request, delivered as they arrive.
    ///
    ///     for try await delta in session.stream(ChatRequest(), "Why?") { print(delta.text) }
    ///
    /// Runs `makeRequest`, `makeParser` and the parser on the caller's actor.
    ///
    /// - Parameters:
    ///   - request: The request to load.
    ///   - input: The input of the request, which each iterator sends once.
    /// - Returns: The sequence of the elements.
    public func stream<R: StreamedAPIRequest>(
        _ request: R, _ input: R.RequestDataType
    ) -> APIStream<R> {
        APIRequestLoader(apiRequest: request, urlSession: self).stream(input)
    }

    /// Returns the elements of the response to a request, delivered as they arrive.
    ///
    ///     for try await delta in session.stream(ChatRequest(), "Why?") { print(delta.text) }
    ///
    /// Runs `makeRequest`, `makeParser` and the parser off the caller's actor.
    ///
    /// - Parameters:
    ///   - request: The request to load.
    ///   - input: The input of the request, which each iterator sends once.
    /// - Returns: The sequence of the elements.
    public func stream<R: StreamedAPIRequest & Sendable>(
        _ request: R, _ input: R.RequestDataType
    ) -> APIStream<R> where R.RequestDataType: Sendable, R.Parser.Element: Sendable {
        APIRequestLoader(apiRequest: request, urlSession: self).stream(input)
    }

    /// Returns the elements of the response to a request that needs no input.
    ///
    /// Runs `makeRequest`, `makeParser` and the parser on the caller's actor.
    ///
    /// - Parameter request: The request to load.
    /// - Returns: The sequence of the elements.
    public func stream<R: StreamedAPIRequest>(
        _ request: R
    ) -> APIStream<R> where R.RequestDataType == Void {
        APIRequestLoader(apiRequest: request, urlSession: self).stream(())
    }

    /// Returns the elements of the response to a request that needs no input.
    ///
    /// Runs `makeRequest`, `makeParser` and the parser off the caller's actor.
    ///
    /// - Parameter request: The request to load.
    /// - Returns: The sequence of the elements.
    public func stream<R: StreamedAPIRequest & Sendable>(
        _ request: R
    ) -> APIStream<R> where R.RequestDataType == Void, R.Parser.Element: Sendable {
        APIRequestLoader(apiRequest: request, urlSession: self).stream(())
    }
}
