import APIKitLite

/// The outcome of an exchange: its body, or the code of its error.
package enum ExchangeOutcome: Hashable, Sendable {
    case body(String)
    case error(URLError.Code)
    case otherError
}

extension HTTPSession {
    package func outcome(
        of request: URLRequest, asStream: Bool = false
    ) async -> ExchangeOutcome {
        do {
            guard asStream else { return .body(try await exchange(request).0.text) }
            return .body(try await stream(request).0.collect().text)
        } catch let error as URLError {
            return .error(error.code)
        } catch {
            return .otherError
        }
    }
}
