import APIKitLite
import Foundation

/// The lease of a `URLProtocol` class, which belongs to one network at a time.
///
/// Foundation creates the protocol object, so only the object's class can determine which network
/// responds. Such classes are created at run time, as specializations of a generic class, and
/// cannot be freed. So a network takes its class from a pool, which gets the class back when no
/// network, session or configuration refers to the lease any more. A list of classes copied from a
/// configuration may still contain the class, so a returned class is reused only after a thousand
/// other classes have been returned. Until then, a request through the class fails.
final class PooledProtocolClass: Sendable {
    let type: MockURLProtocol.Type

    /// Takes a class for a network.
    init(for core: NetworkCore) {
        type = Self.pool.withLock { pool in
            let type = pool.take()
            pool.networks[ObjectIdentifier(type)] = core
            return type
        }
    }

    deinit {
        // The network is released outside the lock, because it may hold the lease of another class.
        _ = Self.pool.withLock { pool in
            pool.free.append(type)
            return pool.networks.removeValue(forKey: ObjectIdentifier(type))
        }
    }

    /// Returns the network to which a class belongs, or `nil` if the class is back in the pool.
    fileprivate static func core(of type: MockURLProtocol.Type) -> NetworkCore? {
        pool.withLock { $0.networks[ObjectIdentifier(type)] }
    }

    /// The process's classes, and the networks to which they belong.
    private struct Pool {
        /// The returned classes, in the order in which they were returned.
        var free: [MockURLProtocol.Type] = []
        /// The network of each class that is in use.
        var networks: [ObjectIdentifier: NetworkCore] = [:]

        /// Removes and returns the class that was returned to the pool first, or creates a class.
        mutating func take() -> MockURLProtocol.Type {
            if free.count > 1000 { return free.removeFirst() }
            // Every class that this process has created is either free or in use.
            return protocolClass(numbered: free.count + networks.count + 1)
        }
    }

    private static let pool = Locked(Pool())
}

/// The end of the bits. A number is written as a type, bit by bit: 2 is `One<Zero<Nothing>>`.
private enum Nothing {}
/// A bit of value 0 above the lower bits.
private enum Zero<Rest> {}
/// A bit of value 1 above the lower bits.
private enum One<Rest> {}

/// A pooled class, which intercepts requests for the network that took it.
private final class Pooled<Number>: MockURLProtocol {
    override class var core: NetworkCore { PooledProtocolClass.core(of: self) ?? .released() }
}

/// Returns the class with this number. Each number has its own class. The bits of the number are
/// written above `rest`.
private func protocolClass<Rest>(
    numbered number: Int, above rest: Rest.Type = Nothing.self
) -> MockURLProtocol.Type {
    if number == 0 { return Pooled<Rest>.self }
    return number.isMultiple(of: 2)
        ? protocolClass(numbered: number / 2, above: Zero<Rest>.self)
        : protocolClass(numbered: number / 2, above: One<Rest>.self)
}

extension NetworkCore {
    /// Returns a network that fails every request, in place of a network that no longer exists.
    fileprivate static func released() -> NetworkCore {
        NetworkCore(clock: nil) { request in
            let error = MockError(
                """
                \(request.line(redacting: .none)) came to a session whose MockNetwork was \
                released. Keep the network, its urlSession or its configuration as long as you load.
                """)
            return .now(.failure(error))
        }
    }
}
