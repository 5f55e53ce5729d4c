import APIKitLite

@testable import APIKitLiteTesting

/// The transports that reach a mock network.
package enum Transport: String, CaseIterable, Sendable {
    case urlProtocol
    case direct
    case loopback

    /// A session on this network, and the base URL under which it responds.
    package func open(_ network: MockNetwork) throws -> (session: any HTTPSession, baseURL: URL) {
        let baseURL = URL(string: "https://api.example.com")!
        switch self {
        case .urlProtocol: return (network.urlSession, baseURL)
        case .direct: return (network, baseURL)
        case .loopback:
            return (
                URLSession(configuration: .withoutProxy), try network.serveInChunks().url
            )
        }
    }
}

extension MockNetwork {
    /// Starts a server that sends bodies in chunks, as most servers do, except where a response
    /// names its length. The server of `serve()` always names it.
    package func serveInChunks() throws -> LoopbackServer {
        let server = try LoopbackServer { [core] received, respond in
            let request = ClientRequest(to: core, from: SocketClient.any) { part in
                var part = part
                if part.head?.response.value(forHTTPHeaderField: "Content-Length") == nil {
                    part.head?.length = nil
                }
                respond(part)
            }
            request.send(received)
            return request.cancel
        }
        core.setPort(server.port, ofServer: ObjectIdentifier(server))
        servers.withLock { $0[ObjectIdentifier(server)] = server }
        return server
    }
}

extension URLSessionConfiguration {
    /// A configuration that reaches this machine even if the environment names a proxy, and however
    /// busy the machine is.
    package static var withoutProxy: URLSessionConfiguration {
        _ = noProxy
        let configuration = URLSessionConfiguration.ephemeral
        // Beside busy programs, a server of this machine may need longer than the default.
        configuration.timeoutIntervalForRequest = 3_600
        return configuration
    }

    // Once, and only where it is needed: changing the environment while another test starts a
    // process, which copies it, can end this one.
    private static let noProxy: Void = {
        let environment = ProcessInfo.processInfo.environment
        let isExcepted = environment["no_proxy"]?.contains("127.0.0.1") == true
        if !isExcepted, environment.keys.contains(where: { $0.lowercased().hasSuffix("_proxy") }) {
            setenv("no_proxy", "127.0.0.1,localhost", 1)
        }
    }()
}
