/// A port of nginx, which `scripts/with-tls` starts. Certificates are for `localhost`, not for
/// `127.0.0.1`.
package enum TLSFront: Int, CaseIterable, Sendable {
    /// nginx as a web server and a reverse proxy, over HTTP/1.1.
    case http1
    /// The same over HTTP/2.
    case http2
    /// A server whose certificate expired yesterday.
    case expired
    /// A server whose certificate has no authority.
    case stranger
    /// Plain bytes in both directions. The client is told `http/1.1`.
    case bytes
    /// Plain bytes in both directions. The client is told `h2`.
    case bytesHTTP2

    private static let environment = ProcessInfo.processInfo.environment
    private static let firstPort = Int(environment["APIKITLITE_TLS_PORT"] ?? "") ?? 0

    /// Whether the tests run under the script.
    package static let isRunning = firstPort != 0
    /// The folder of the files that nginx itself sends.
    package static let files = URL(filePath: environment["APIKITLITE_TLS"] ?? "")
        .appending(path: "files")
    /// The port on which a test starts the proxy of the environment.
    package static let proxyPort = firstPort + 6

    package var port: Int { Self.firstPort + rawValue }

    /// The URL of this port.
    ///
    /// - Parameters:
    ///   - server: The URL of a plain server on this machine, to which nginx forwards. If it is
    ///     nil, nginx itself responds, with its files.
    ///   - path: The path of the URL.
    ///   - isProxied: Whether the request goes through the proxy of the environment, by CONNECT.
    ///   - isTyped: Whether the proxy responds to CONNECT with a content type.
    package func url(
        to server: URL? = nil, _ path: String = "/", isProxied: Bool = false, isTyped: Bool = false
    ) -> URL {
        let domain = isProxied ? "proxied.example" : "tls.localhost"
        let host = server?.port.map { "port-\($0)\(isTyped ? "-typed" : "").\(domain)" }
        let name = host ?? (isProxied ? "files.\(domain)" : "localhost")
        return URL(string: "https://\(name):\(port)\(path)")!
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a suite that `scripts/with-tls` does not run.
    package static var needsTLS: Self {
        .enabled(if: TLSFront.isRunning, "scripts/with-tls swift test --filter TLS")
    }
}
