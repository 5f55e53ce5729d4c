import APIKitLite
import Foundation

/// A `URLProtocol` class that belongs to one network at a time.
///
/// Foundation makes the protocol object, so only its class can say which network it works for. Such
/// classes are made at run time, as instances of a generic one, and cannot be freed; so they are
/// leased, and go to another network when no session and no configuration can reach the last one
/// any more. A list of classes that was copied out of a configuration still can: so a class rests
/// first, and a request through it fails, until a thousand others have been given back.
struct LeasedProtocolClass: Sendable {
    let type: MockURLProtocol.Type

    static func lease(to responder: any Responder & AnyObject) -> LeasedProtocolClass {
        // What makes a session must not be the first delivery, which may be on the loading thread.
        LoadingThread.prepare()
        return leases.withLock { leases in
            let type = leases.take()
            leases.responders[ObjectIdentifier(type)] = Weak(responder: responder)
            return LeasedProtocolClass(type: type)
        }
    }

    static func responder(of type: MockURLProtocol.Type) -> (any Responder)? {
        leases.withLock { $0.responders[ObjectIdentifier(type)]?.responder }
    }

    /// How many classes this process has made.
    static var count: Int { leases.withLock { $0.count } }

    func giveBack() {
        Self.leases.withLock { leases in
            leases.responders[ObjectIdentifier(type)] = nil
            leases.free.append(type)
        }
    }

    private struct Weak {
        weak var responder: (any Responder & AnyObject)?
    }

    private struct Leases {
        /// Oldest first.
        var free: [MockURLProtocol.Type] = []
        var responders: [ObjectIdentifier: Weak] = [:]
        var count = 0

        mutating func take() -> MockURLProtocol.Type {
            if free.count > 1000 { return free.removeFirst() }
            count += 1
            return protocolClass(numbered: count)
        }
    }

    private static let leases = Locked(Leases())
}

// The number, bit by bit, as a type: Leased<One<Zero<Nothing>>>.
private enum Nothing {}
private enum Zero<Rest> {}
private enum One<Rest> {}
private final class Leased<Number>: NetworkURLProtocol {}

private func protocolClass(numbered number: Int) -> MockURLProtocol.Type {
    func make<Rest>(_ rest: Rest.Type, _ number: Int) -> MockURLProtocol.Type {
        if number == 0 { return Leased<Rest>.self }
        return number.isMultiple(of: 2)
            ? make(Zero<Rest>.self, number / 2) : make(One<Rest>.self, number / 2)
    }
    return make(Nothing.self, number)
}

/// Intercepts for the network that its class is leased to.
private class NetworkURLProtocol: MockURLProtocol {
    override class func responder(to request: URLRequest) -> any Responder {
        LeasedProtocolClass.responder(of: self) ?? GoneNetwork()
    }

    override class func canInit(with request: URLRequest) -> Bool {
        isForMocks(request) && LeasedProtocolClass.responder(of: self)?.declines(request) != true
    }
}

/// Answers in place of a network that does not exist any more.
private struct GoneNetwork: Responder {
    var cookieStorage: HTTPCookieStorage? { nil }

    func load(
        _ request: URLRequest, for client: any Client, passage: Passage,
        respond: @escaping @Sendable (ResponseEvent) -> Void
    ) -> CancellationHandle {
        respond(
            .failure(
                MockError(
                    .networkGone,
                    """
                    The MockNetwork behind this session's protocolClasses: its network is gone. \
                    Keep the network, its urlSession or its configuration as long as you load.
                    """)))
        return CancellationHandle(recordCancellation: {})
    }
}
