import APIKitLite
import Foundation

/// A `URLProtocol` class that belongs to one network at a time.
///
/// Foundation creates the protocol object, so only its class can determine which network answers.
/// Such classes are created at run time, as specializations of a generic class, and cannot be
/// freed. So a network takes its class from a pool, and returns the class when no session or
/// configuration refers to the network any more. A list of classes copied from a configuration may
/// still contain the class, so a returned class is reused only after a thousand others have been
/// returned. Until then, a request through the class fails.
struct PooledProtocolClass: Sendable {
    let type: MockURLProtocol.Type

    /// Takes a class for a responder, without keeping the responder alive.
    static func take(for responder: any Responder & AnyObject) -> PooledProtocolClass {
        pool.withLock { pool in
            let type = pool.take()
            pool.responders[ObjectIdentifier(type)] = Weak(responder: responder)
            return PooledProtocolClass(type: type)
        }
    }

    /// Returns the responder to which this class belongs, or `nil` if the responder is gone.
    static func responder(of type: MockURLProtocol.Type) -> (any Responder)? {
        pool.withLock { $0.responders[ObjectIdentifier(type)]?.responder }
    }

    /// The number of classes that this process has created.
    static var count: Int { pool.withLock { $0.count } }

    /// Returns the class to the pool.
    func giveBack() {
        Self.pool.withLock { pool in
            pool.responders[ObjectIdentifier(type)] = nil
            pool.free.append(type)
        }
    }

    private struct Weak {
        weak var responder: (any Responder & AnyObject)?
    }

    /// The process's classes, and the responders to which they belong.
    private struct Pool {
        /// The returned classes, in the order in which they were returned.
        var free: [MockURLProtocol.Type] = []
        var responders: [ObjectIdentifier: Weak] = [:]
        var count = 0

        /// Returns the class that was returned first, or creates a class.
        mutating func take() -> MockURLProtocol.Type {
            if free.count > 1000 { return free.removeFirst() }
            count += 1
            return protocolClass(numbered: count)
        }
    }

    private static let pool = Locked(Pool())
}

/// The end of the bits. A number is written as a type, bit by bit: 2 is `One<Zero<Nothing>>`.
private enum Nothing {}
/// The bit 0 above the lower bits.
private enum Zero<Rest> {}
/// The bit 1 above the lower bits.
private enum One<Rest> {}
private final class Pooled<Number>: NetworkURLProtocol {}

/// Returns the class with this number. Each number has its own class.
private func protocolClass(numbered number: Int) -> MockURLProtocol.Type {
    func make<Rest>(_ rest: Rest.Type, _ number: Int) -> MockURLProtocol.Type {
        if number == 0 { return Pooled<Rest>.self }
        return number.isMultiple(of: 2)
            ? make(Zero<Rest>.self, number / 2) : make(One<Rest>.self, number / 2)
    }
    return make(Nothing.self, number)
}

/// Intercepts requests for the network that has its class.
private class NetworkURLProtocol: MockURLProtocol {
    override class var responder: any Responder {
        PooledProtocolClass.responder(of: self) ?? MissingNetwork()
    }
}

/// Fails every request, in place of a network that no longer exists.
private struct MissingNetwork: Responder {
    var cookieStorage: HTTPCookieStorage? { nil }

    func load(
        _ request: URLRequest, for client: any Client,
        respond: @escaping @Sendable (AnswerPart) -> Void
    ) -> RequestCancellation {
        let error = MockError(
            .networkGone,
            """
            \(request.line(redacting: .none)) came to a session whose MockNetwork was released. \
            Keep the network, its urlSession or its configuration as long as you load.
            """)
        respond(.failure(error))
        return RequestCancellation(recordCancellation: {})
    }
}
