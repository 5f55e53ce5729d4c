import APIKitLite
import Foundation

/// The stubs that have passed a request on.
///
/// A request that comes back to one of them would be passed on without end, so it is refused.
/// Inside the process, the set is a task-local value. On Apple platforms, where a protocol does not
/// see the task-local values of the client, it is also a property of the request. Over a socket, it
/// is in the `Via` header: a stub adds its name there, as a proxy does (RFC 9110, section 7.6.3),
/// if its network has a server.
struct Passage: Sendable {
    @TaskLocal private static var current = Passage(stubs: [])

    private var stubs: Set<String>
    /// Whether the request came over a socket, so that it has the fields of that connection.
    private var isOverSocket = false

    /// Reads the passage of a request that a client of this process makes. Call it in the client's
    /// task.
    init(of request: URLRequest) {
        self = Self.current
        #if !canImport(FoundationNetworking)
        let names = URLProtocol.property(forKey: Self.propertyKey, in: request) as? [String]
        stubs.formUnion(names ?? [])
        #endif
    }

    /// Reads the passage of a request that came over a socket.
    init(overSocket request: URLRequest) {
        let words = request.value(forHTTPHeaderField: "Via")?.split { $0 == " " || $0 == "," }
        stubs = Set((words ?? []).filter { $0.hasPrefix("stub-") }.map(String.init))
        isOverSocket = true
    }

    private init(stubs: Set<String>) {
        self.stubs = stubs
    }

    /// Whether a stub has passed the request on before.
    func contains(_ stub: Stub) -> Bool {
        !stubs.isEmpty && stubs.contains(stub.pseudonym)
    }

    /// Sends a request that a stub passes on.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - stub: The stub, which is added to the passage.
    ///   - session: The session that answers.
    ///   - isServed: Whether the request may come back over a socket.
    /// - Throws: The error of the session.
    func passOn(
        _ request: URLRequest, by stub: Stub, over session: any HTTPSession, isServed: Bool
    ) async throws -> (Data, HTTPURLResponse) {
        var request = request
        var next = self
        next.stubs.insert(stub.pseudonym)
        if isOverSocket {
            request.removeConnectionFields()
            next.isOverSocket = false
        }
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

extension URLRequest {
    /// Removes what belongs to one connection and its host, as a proxy does (RFC 9110, section
    /// 7.6.1). The next session adds its own.
    fileprivate mutating func removeConnectionFields() {
        let named = value(forHTTPHeaderField: "Connection")?.split(separator: ",") ?? []
        let fields = [
            "Host", "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
            "Transfer-Encoding", "Upgrade", "Expect", "Content-Length",
        ]
        for name in named.map({ $0.trimmingCharacters(in: .whitespaces) }) + fields {
            setValue(nil, forHTTPHeaderField: name)
        }
    }
}

extension Stub {
    /// The name of the stub in `Via`. No other stub has it at the same time, in any process of the
    /// system.
    fileprivate var pseudonym: String {
        let address = UInt(bitPattern: ObjectIdentifier(self))
        return "stub-\(ProcessInfo.processInfo.processIdentifier)-\(String(address, radix: 16))"
    }
}
