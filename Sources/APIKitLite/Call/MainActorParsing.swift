import Foundation

/// The debug-build warning that a large body was parsed on the main actor.
///
/// The compiler does not warn. A request is loaded on the caller's actor if it or its input is not
/// `Sendable`, even in a generic function without these constraints.
enum MainActorParsing {
    /// The body size in bytes from which parsing can delay a frame. Decoding this much JSON takes
    /// about 5 ms, and a frame at 120 Hz lasts 8 ms.
    static let limit = 100_000

    /// The function that reports a warning. By default, it writes to standard error.
    @TaskLocal static var warn: @Sendable (String) -> Void = { text in
        writeToStandardError(text + "\n")
    }

    private static let warnedTypes = Locked<Set<ObjectIdentifier>>([])

    /// Warns once per request type if a large body was parsed on the main actor.
    static func didParse<T: APIRequest>(
        _ request: T.Type, _ body: Data, on actor: (any Actor)?
    ) {
        #if DEBUG
        guard body.count >= limit, actor === MainActor.shared,
            warnedTypes.withLock({ $0.insert(ObjectIdentifier(request)).inserted })
        else { return }
        warn(text(for: request, byteCount: body.count))
        #endif
    }

    static func text<T: APIRequest>(for request: T.Type, byteCount count: Int) -> String {
        """
        APIKitLite: \(request) is not Sendable where it is loaded, so its response of \
        \(byteCount(count)) was parsed on the main actor. To parse in the background, declare \
        \(request) and its input \(T.RequestDataType.self) Sendable. In a module whose default \
        isolation is the main actor, declare them and the output \(T.ResponseDataType.self) \
        nonisolated too. In a generic function, constrain both to Sendable.
        """
    }
}
