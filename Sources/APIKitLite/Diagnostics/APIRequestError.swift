import Foundation

/// What went wrong in a call, at which step, and all that was known by then.
///
/// `print(error)` tells a developer where to look and how to send the request again;
/// `error.localizedDescription` is one sentence that may be shown to anybody. Neither shows a
/// credential.
///
///     do {
///         user = try await loader.load(42)
///     } catch where error.statusCode == 404 {
///         user = nil
///     } catch where error.isCancellation {
///         return
///     } catch {
///         message = error.localizedDescription
///     }
public struct APIRequestError: LocalizedError, CustomStringConvertible, Sendable {
    /// The steps of a call, in order.
    public enum Stage: String, Sendable, CaseIterable {
        /// `makeRequest(from:)` threw; nothing was sent.
        case makeRequest
        /// No complete answer came, or the call was cancelled.
        case transport
        /// `validateResponse(data:response:)` threw.
        case validate
        /// `parseResponse(data:response:)` threw.
        case parse
    }

    /// The step that failed.
    public let stage: Stage
    /// The request that `makeRequest(from:)` made; nil if it made none.
    public let request: URLRequest?
    /// The server's answer, if there was one.
    public let response: HTTPURLResponse?
    /// The answer's body, if there was one.
    public let data: Data?
    /// The original error: what your code threw, or the `URLError`.
    public let underlying: any Error
    private let wasCancelled: Bool

    /// An error from its pieces.
    ///
    /// `isCancellation` says that somebody cancelled this call; it is not needed when `underlying`
    /// is a `CancellationError`.
    public init(
        stage: Stage, request: URLRequest? = nil, response: HTTPURLResponse? = nil,
        data: Data? = nil, underlying: any Error, isCancellation: Bool = false
    ) {
        self.stage = stage
        self.request = request
        self.response = response
        self.data = data
        self.underlying = underlying
        wasCancelled = isCancellation
    }

    /// The status code of the answer, if there was one.
    public var statusCode: Int? { response?.statusCode }

    /// Whether somebody wanted this, so that there is nothing to report.
    ///
    /// A `URLError.cancelled` alone is a failure: a rejected certificate, for example.
    public var isCancellation: Bool { wasCancelled || underlying is CancellationError }

    /// Reads the body that came with the error, such as a server's own account of it.
    ///
    /// - Throws: `DecodingError`, also if there is no body.
    public func decodeBody<E: Decodable>(
        _ type: E.Type, using decoder: JSONDecoder = JSONDecoder()
    ) throws -> E {
        try decoder.decode(type, from: data ?? Data())
    }

    /// One sentence that a user may read: no URL, no body, no curl command.
    public var errorDescription: String? {
        if isCancellation { return "The request was cancelled." }
        if let status = underlying as? UnacceptableStatus {
            return "The server answered \(HTTPStatus.describe(status.statusCode))."
        }
        if let error = URLError(from: underlying) { return error.sentence }
        if !(underlying is DecodingError),
            let own = (underlying as? any LocalizedError)?.errorDescription
        {
            return Excerpt(redacting: own, limit: 4_000, onOneLine: false).text(limit: 4_000)
        }
        switch stage {
        case .makeRequest: return "The request could not be made."
        case .transport: return "The request failed."
        case .validate:
            guard let statusCode, !(200..<300).contains(statusCode) else {
                return "The server's answer was not accepted."
            }
            return "The server answered \(HTTPStatus.describe(statusCode))."
        case .parse: return "The server's answer could not be understood."
        }
    }
}

extension APIRequestError: CustomReflectable, OpaquelyReflected {}
