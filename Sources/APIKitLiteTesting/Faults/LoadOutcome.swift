import APIKitLite

/// What a load came to.
public enum LoadOutcome: Hashable, Sendable, CustomStringConvertible {
    /// A value.
    case value
    /// An `APIRequestError` of this stage.
    case error(APIRequestError.Stage, isCancellation: Bool = false)

    init(_ error: APIRequestError) {
        self = .error(error.stage, isCancellation: error.isCancellation)
    }

    /// `value`, `.parse`, or `.transport, cancelled`.
    public var description: String {
        switch self {
        case .value: "value"
        case .error(let stage, false): ".\(stage)"
        case .error(let stage, true): ".\(stage), cancelled"
        }
    }
}
