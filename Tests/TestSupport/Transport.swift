import APIKitLite
import APIKitLiteTesting
import Foundation

/// The transports that reach a mock network.
package enum Transport: String, CaseIterable, Sendable {
    case urlProtocol
    case direct
    case loopback

    /// A session on this network, and the base URL that it answers under.
    package func open(_ network: MockNetwork) throws -> (session: any HTTPSession, baseURL: URL) {
        let baseURL = URL(string: "https://api.example.com")!
        switch self {
        case .urlProtocol: return (network.urlSession, baseURL)
        case .direct: return (network, baseURL)
        case .loopback:
            return (URLSession(configuration: .withoutProxy), try network.serve().url)
        }
    }
}

extension URLSessionConfiguration {
    /// A configuration that reaches this machine even if the environment names a proxy.
    package static var withoutProxy: URLSessionConfiguration {
        _ = noProxy
        return .ephemeral
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
