import TestSupport

@testable import APIKitLiteTesting

extension ResponsePart {
    /// A response as a stub would give it.
    static func of(
        _ text: String..., status: Int = 200, fields: [String: String] = [:]
    ) -> ResponsePart {
        of(text.map { Data($0.utf8) }, status: status, fields: fields)
    }

    static func of(
        _ chunks: [Data], status: Int = 200, fields: [String: String] = [:]
    ) -> ResponsePart {
        let response = HTTPURLResponse(
            url: URL(string: "http://127.0.0.1")!, statusCode: status, httpVersion: nil,
            headerFields: fields)!
        return .complete(response, chunks)
    }
}

extension LoopbackServer {
    /// A server that gives every response immediately, from another thread.
    convenience init(response: @escaping @Sendable (URLRequest) throws -> ResponsePart) throws {
        try self.init { request, respond in
            DispatchQueue.global().async {
                do { respond(try response(request)) } catch { respond(.failure(error)) }
            }
            return {}
        }
    }

    static func echo() throws -> LoopbackServer {
        try LoopbackServer { .of([$0.httpBody ?? Data()]) }
    }

    /// A client that has sent a text and, if it has finished, sends nothing more.
    func client(_ text: String = "", isFinished: Bool = false) throws -> RawClient {
        let client = try RawClient(port: port, sending: text)
        if isFinished { client.finishSending() }
        return client
    }
}

/// Requests that have arrived and get responses when the test says so.
final class HeldRequests: @unchecked Sendable {  // Safe: `responders` is used with `lock` held.
    private let lock = NSLock()
    private var responders: [@Sendable (ResponsePart) -> Void] = []
    private let arrivals = DispatchSemaphore(value: 0)
    private let cancellations = DispatchSemaphore(value: 0)

    static func serve() throws -> (held: HeldRequests, server: LoopbackServer) {
        let held = HeldRequests()
        let server = try LoopbackServer { _, respond in
            held.lock.withLock { held.responders.append(respond) }
            held.arrivals.signal()
            return { held.cancellations.signal() }
        }
        return (held, server)
    }

    /// - Returns: Whether that many arrived before a test's patience ended.
    func waitForArrivals(_ count: Int = 1) -> Bool {
        (0..<count).allSatisfy { _ in arrivals.wait(timeout: .now() + 900) == .success }
    }

    func waitForCancellations(_ count: Int = 1) -> Bool {
        (0..<count).allSatisfy { _ in cancellations.wait(timeout: .now() + 900) == .success }
    }

    /// Whether more requests were cancelled than the test has waited for.
    var hasCancelledMore: Bool { cancellations.wait(timeout: .now()) == .success }

    /// Responds to everything that is held, each time with its place in the order of arrival.
    func respondToAll() {
        let responders = lock.withLock { self.responders }
        for (index, respond) in responders.enumerated() { respond(ResponsePart.of("\(index)")) }
    }
}
