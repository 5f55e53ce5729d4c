import APIKitLite
import Foundation

/// The protocol classes that respond to the requests of `URLSession.shared`.
enum SharedSession {
    #if canImport(FoundationNetworking)
    // On Linux, `URLProtocol.registerClass` works only before the process creates its first
    // session. But a session's `configuration` is the object that the session uses, not a copy.

    /// Makes a class intercept the requests of the shared session, before all other classes. If the
    /// class is already registered, does nothing.
    static func register(_ type: AnyClass) {
        lock.withLock { _ in
            let configuration = URLSession.shared.configuration
            let others = configuration.protocolClasses ?? []
            guard !others.contains(where: { $0 == type }) else { return }
            configuration.protocolClasses = [type] + others
        }
    }

    static func unregister(_ type: AnyClass) {
        lock.withLock { _ in
            let configuration = URLSession.shared.configuration
            configuration.protocolClasses = configuration.protocolClasses?.filter { $0 != type }
        }
    }

    /// The lock for `protocolClasses` of the shared session's configuration.
    private static let lock = Locked(())
    #else
    static func register(_ type: AnyClass) { URLProtocol.registerClass(type) }

    static func unregister(_ type: AnyClass) { URLProtocol.unregisterClass(type) }
    #endif
}
