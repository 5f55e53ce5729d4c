import APIKitLite
import Foundation

/// The stubs that have passed a request on, so that one which comes back to the same stub is
/// recognized, whichever way it took.
///
/// Without that it would be passed on for ever. Inside the process the set travels as a task-local,
/// and on Apple platforms, where a protocol does not see the task-locals of the client, as a
/// property of the request. Over a socket, a stub of a network that has a server adds its name to
/// the `Via` header, as a proxy does (RFC 9110, section 7.6.3).
struct Passage: Sendable {
    @TaskLocal private static var current = Passage(stubs: [])

    private var stubs: Set<String>

    /// The passage of a request that a client of this process makes, to be read in its own task.
    init(of request: URLRequest) {
        self = Self.current
        #if !canImport(FoundationNetworking)
        let names = URLProtocol.property(forKey: Self.propertyKey, in: request) as? [String]
        stubs.formUnion(names ?? [])
        #endif
    }

    /// The passage of a request that came over a socket.
    init(overSocket request: URLRequest) {
        let words = request.value(forHTTPHeaderField: "Via")?.split { $0 == " " || $0 == "," }
        stubs = Set((words ?? []).filter { $0.hasPrefix("stub-") }.map(String.init))
    }

    private init(stubs: Set<String>) {
        self.stubs = stubs
    }

    /// Whether this stub has passed the request on before.
    func contains(_ stub: Stub) -> Bool {
        !stubs.isEmpty && stubs.contains(stub.pseudonym)
    }

    /// Sends a request that a stub passes on.
    ///
    /// - Parameter isServed: Whether it may come back over a socket.
    func passOn(
        _ request: URLRequest, by stub: Stub, over session: any HTTPSession, isServed: Bool
    ) async throws -> (Data, HTTPURLResponse) {
        var request = request
        var next = self
        next.stubs.insert(stub.pseudonym)
        if isServed {
            let earlier = request.value(forHTTPHeaderField: "Via").map { $0 + ", " } ?? ""
            request.setValue(earlier + "1.1 " + stub.pseudonym, forHTTPHeaderField: "Via")
        }
        #if !canImport(FoundationNetworking)
        if let marked = (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest {
            URLProtocol.setProperty(Array(next.stubs), forKey: Self.propertyKey, in: marked)
            request = marked as URLRequest
        }
        #endif
        return try await Self.$current.withValue(next) { try await session.exchange(request) }
    }

    #if !canImport(FoundationNetworking)
    private static let propertyKey = "APIKitLiteTesting.Passage"
    #endif
}

extension Stub {
    /// A name that no other stub of any process on this machine has at the same time.
    fileprivate var pseudonym: String {
        let address = UInt(bitPattern: ObjectIdentifier(self))
        return "stub-\(ProcessInfo.processInfo.processIdentifier)-\(String(address, radix: 16))"
    }
}
