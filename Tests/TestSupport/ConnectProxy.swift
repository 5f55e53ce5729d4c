/// A proxy of this machine that responds to CONNECT, and connects to the named port of this
/// machine.
///
/// If the first label of the host is a number, such as in `407.proxied.example`, the proxy refuses
/// the connection with this status. If it ends with `-typed`, the response has a content type.
package final class ConnectProxy: Sendable {
    private let listener: Listener

    package init(port: Int) throws { listener = try Listener(port: port) { serve($0) } }
}

private func serve(_ client: Int32) {
    guard let head = SocketReader(client).takeHead() else { return }
    // CONNECT host:port HTTP/1.1
    let target = head[0].components(separatedBy: " ")[1].components(separatedBy: ":")
    if let status = Int(target[0].prefix { $0 != "." }) {
        let fields = "Content-Type: text/plain\r\nContent-Length: 2"
        sendAll("HTTP/1.1 \(status) Refused\r\n\(fields)\r\n\r\nno", to: client)
        return
    }
    guard let server = try? connectedSocket(port: Int(target[1]) ?? 0) else { return }
    defer { close(server) }
    let isTyped = target[0].contains("-typed.")
    let type = isTyped ? "Content-Type: text/html\r\nContent-Length: 0\r\n" : ""
    sendAll("HTTP/1.1 200 Connection established\r\nProxy-Agent: test\r\n\(type)\r\n", to: client)
    relay(between: client, and: server)
}
