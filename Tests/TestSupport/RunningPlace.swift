/// Where a function runs: on the main actor, or in the background.
package enum RunningPlace: Sendable {
    case mainActor
    case background

    /// The place of the caller.
    package static var current: RunningPlace {
        _ = marked
        return DispatchQueue.getSpecific(key: mark.key) == nil ? .background : .mainActor
    }

    // On Linux, the main actor runs on the main queue, but not always on the main thread.
    private static let mark = Mark()
    private static let marked: Void = DispatchQueue.main.setSpecific(key: mark.key, value: true)

    private struct Mark: @unchecked Sendable {  // The key has no state of its own.
        let key = DispatchSpecificKey<Bool>()
    }
}
