import APIKitLite
import Foundation

/// A `URLProtocol` class that belongs to one network at a time.
///
/// Foundation makes the protocol object, so only its class can say which network it works for. Such
/// classes are made at run time, as instances of a generic one, and cannot be freed; so they are
/// leased, and go to another network when no session and no configuration can reach the last one
/// any more. A list of classes that was copied out of a configuration still can: so a class rests
/// first, and a request through it fails, until a thousand others have been given back.
struct CarrierClass: Sendable {
    let type: MockURLProtocol.Type

    static func lease(to core: NetworkCore) -> CarrierClass {
        // What makes a session must not be the first delivery, which may be on the loading thread.
        LoadingThread.prepare()
        return leases.withLock { leases in
            let type = leases.take()
            leases.cores[ObjectIdentifier(type)] = Weak(core: core)
            return CarrierClass(type: type)
        }
    }

    static func core(of type: MockURLProtocol.Type) -> NetworkCore? {
        leases.withLock { $0.cores[ObjectIdentifier(type)]?.core }
    }

    /// How many classes this process has made.
    static var count: Int { leases.withLock { $0.count } }

    func giveBack() {
        Self.leases.withLock { leases in
            leases.cores[ObjectIdentifier(type)] = nil
            leases.free.append(type)
        }
    }

    private struct Weak {
        weak var core: NetworkCore?
    }

    private struct Leases {
        /// Oldest first.
        var free: [MockURLProtocol.Type] = []
        var cores: [ObjectIdentifier: Weak] = [:]
        var count = 0

        mutating func take() -> MockURLProtocol.Type {
            if free.count > 1000 { return free.removeFirst() }
            count += 1
            return carrier(numbered: count)
        }
    }

    private static let leases = Locked(Leases())
}

// The number, bit by bit, as a type: Carrier<One<Zero<Nothing>>>.
private enum Nothing {}
private enum Zero<Rest> {}
private enum One<Rest> {}
private final class Carrier<Number>: NetworkURLProtocol {}

private func carrier(numbered number: Int) -> MockURLProtocol.Type {
    func make<Rest>(_ rest: Rest.Type, _ number: Int) -> MockURLProtocol.Type {
        if number == 0 { return Carrier<Rest>.self }
        return number.isMultiple(of: 2)
            ? make(Zero<Rest>.self, number / 2) : make(One<Rest>.self, number / 2)
    }
    return make(Nothing.self, number)
}

/// Intercepts for the network that its class is leased to.
private class NetworkURLProtocol: MockURLProtocol {
    override class func source(of request: URLRequest) -> any AnswerSource {
        CarrierClass.core(of: self) ?? GoneNetwork()
    }

    override class func canInit(with request: URLRequest) -> Bool {
        isForMocks(request) && CarrierClass.core(of: self)?.declines(request) != true
    }
}

/// Answers in place of a network that does not exist any more.
private struct GoneNetwork: AnswerSource {
    var cookieStorage: HTTPCookieStorage? { nil }

    func load(
        _ request: URLRequest, for client: any Client, passage: Passage,
        reply: @escaping @Sendable (Reply) -> Void
    ) -> Ticket {
        reply(
            .failure(
                MockFailure(
                    .networkGone,
                    """
                    The MockNetwork behind this session's protocolClasses: its network is gone. \
                    Keep the network, its urlSession or its configuration as long as you load.
                    """)))
        return Ticket(note: {})
    }
}
