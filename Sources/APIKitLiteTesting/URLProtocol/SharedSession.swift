import APIKitLite
import Foundation

/// What `URLSession.shared` answers from.
enum SharedSession {
    #if canImport(FoundationNetworking)
    // `URLProtocol.registerClass` works on Linux only before the process's first session; but the
    // configuration of a session that exists is its own there, not a copy.
    static func register(_ type: MockURLProtocol.Type) {
        lock.withLock { _ in
            let configuration = URLSession.shared.configuration
            let others = configuration.protocolClasses ?? []
            guard !others.contains(where: { $0 == type }) else { return }
            configuration.protocolClasses = [type] + others
        }
    }

    static func unregister(_ type: MockURLProtocol.Type) {
        lock.withLock { _ in
            let configuration = URLSession.shared.configuration
            configuration.protocolClasses = configuration.protocolClasses?.filter { $0 != type }
        }
    }

    private static let lock = Locked(())
    #else
    static func register(_ type: MockURLProtocol.Type) {
        URLProtocol.registerClass(type)
    }

    static func unregister(_ type: MockURLProtocol.Type) {
        URLProtocol.unregisterClass(type)
    }
    #endif
}
