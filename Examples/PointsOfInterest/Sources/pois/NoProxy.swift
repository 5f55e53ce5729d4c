import Foundation

/// The value of `no_proxy` that keeps a server of this machine off every proxy.
///
/// On Linux URLSession hands even a request for 127.0.0.1 to the proxy of `http_proxy`, and has no
/// setting against it; what it heeds is the environment.
///
/// - Returns: The present value and the host; nil where nothing needs to change.
package func noProxy(for host: String, environment: [String: String]) -> String? {
    let host = host.trimmingCharacters(in: ["[", "]"])
    guard host == "localhost" || host == "::1" || host.hasPrefix("127.") else { return nil }
    let present = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
    let hosts = present.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    if hosts.contains("*") || hosts.contains(host) { return nil }
    return (hosts + [host]).joined(separator: ",")
}
