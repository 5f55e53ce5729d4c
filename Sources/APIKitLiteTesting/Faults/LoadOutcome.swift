import APIKitLite

/// How a load ended.
public enum LoadOutcome: Hashable, Sendable, CustomStringConvertible {
    /// The load returned a value.
    case value
    /// The load threw an `APIRequestError`, with its stage and whether it is a cancellation.
    case error(APIRequestError.Stage, isCancellation: Bool = false)

    /// Creates the outcome of a load that threw this error.
    init(_ error: APIRequestError) {
        self = .error(error.stage, isCancellation: error.isCancellation)
    }

    /// The outcome in a few words, such as `value`, `.parse` or `.transport, cancelled`.
    public var description: String {
        switch self {
        case .value: "value"
        case .error(let stage, false): ".\(stage)"
        case .error(let stage, true): ".\(stage), cancelled"
        }
    }
}
