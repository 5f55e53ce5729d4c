import Foundation

/// Returns the value of `no_proxy` with which no proxy is used for a server of this machine.
///
/// On Linux, URLSession sends even a request for 127.0.0.1 to the proxy that `http_proxy` names.
/// Only the environment prevents that; no setting of the session does.
///
/// - Returns: The present value and the host; nil if nothing needs to change.
package func noProxy(for host: String, environment: [String: String]) -> String? {
    let host = host.trimmingCharacters(in: ["[", "]"])
    guard host == "localhost" || host == "::1" || host.hasPrefix("127.") else { return nil }
    let present = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
    let hosts = present.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    if hosts.contains("*") || hosts.contains(host) { return nil }
    return (hosts + [host]).joined(separator: ",")
}
