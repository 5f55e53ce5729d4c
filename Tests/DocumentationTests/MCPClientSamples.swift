import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A message of JSON-RPC 2.0 to the server. A notification has no ID.
private struct Call: Encodable, Sendable {
    struct Params: Encodable, Sendable {
        var protocolVersion: String?
        var capabilities: [String: String]?
        var clientInfo: [String: String]?
        var name: String?
        var arguments: [String: Int]?
    }

    let jsonrpc = "2.0"
    var id: String?
    let method: String
    var params: Params?

    static func initialize() -> Call {
        Call(
            id: UUID().uuidString, method: "initialize",
            params: Params(
                protocolVersion: "2025-06-18", capabilities: [:],
                clientInfo: ["name": "sample", "version": "1"]))
    }

    static var initialized: Call { Call(method: "notifications/initialized") }

    static func tool(_ name: String, _ arguments: [String: Int]) -> Call {
        Call(
            id: UUID().uuidString, method: "tools/call",
            params: Params(name: name, arguments: arguments))
    }
}

/// A message of JSON-RPC 2.0 from the server: a result, an error or a notification.
private struct Reply: Decodable, Sendable {
    struct Content: Decodable, Sendable { let text: String }
    struct Result: Decodable, Sendable { let content: [Content]? }
    struct Failure: Decodable, Error { let message: String }
    struct Params: Decodable, Sendable { let message: String? }

    let id: String?
    let params: Params?
    let result: Result?
    let error: Failure?

    var text: String {
        get throws {
            if let error { throw error }
            return result?.content?.first?.text ?? ""
        }
    }
}

private enum MCPError: Error { case noResult, notAccepted }

private struct MCPRequest: StreamedAPIRequest {
    let url: URL
    var sessionID: String?

    func makeRequest(from call: Call) throws -> URLRequest {
        try URLRequest("POST", url)
            .header("Accept", "application/json, text/event-stream")
            .header("Mcp-Session-Id", sessionID)
            .jsonBody(call)
    }

    func makeParser(for response: HTTPURLResponse) -> some StreamParser<Reply> {
        ServerSentEvents.json(Reply.self, orBodyOf: response)
    }
}

private actor MCPClient {
    private(set) var progress: [String] = []
    private let session: any HTTPSession
    private var request: MCPRequest

    init(url: URL, over session: any HTTPSession) {
        self.session = session
        request = MCPRequest(url: url)
    }

    func start() async throws {
        var replies = session.stream(request, .initialize()).makeAsyncIterator()
        guard try await replies.next()?.result != nil else {
            throw MCPError.noResult
        }
        request.sessionID = replies.response?
            .value(forHTTPHeaderField: "Mcp-Session-Id")
        let notification = try request.makeRequest(from: .initialized)
        let (_, response) = try await session.exchange(notification)
        guard response.statusCode == 202 else { throw MCPError.notAccepted }
    }

    func call(_ tool: String, _ arguments: [String: Int]) async throws -> String {
        let call = Call.tool(tool, arguments)
        for try await reply in session.stream(request, call) {
            if reply.id == call.id { return try reply.text }
            if let message = reply.params?.message { progress.append(message) }
        }
        throw MCPError.noResult
    }

    func message(after lastEventID: String) async throws -> ServerSentEvent? {
        let listening = try URLRequest("GET", request.url)
            .header("Mcp-Session-Id", request.sessionID)
        var events = session.events(listening, after: lastEventID)
            .makeAsyncIterator()
        do {
            return try await events.next()
        } catch {
            if error.statusCode == 405 { return nil }
            throw error
        }
    }
}

/// The samples of MCPClient.md.
@Suite(.limited) struct MCPClientSamples {
    private let url = URL(string: "http://127.0.0.1:8808/mcp")!

    @Test func usesARecordedServer() async throws {
        try await withMockNetwork(
            replaying: "mcp", redacting: .standard.adding("id")
        ) { network in
            let client = MCPClient(url: url, over: network.urlSession)

            try await client.start()
            #expect(try await client.call("add", ["a": 1, "b": 2]) == "3")
            #expect(try await client.call("count", ["to": 2]) == "done")
            #expect(await client.progress == ["1 of 2", "2 of 2"])
            let message = try await client.message(after: "41")
            #expect(message?.id == "42")

            let statuses = network.requests.map(\.response?.statusCode)
            #expect(statuses == [200, 202, 200, 200, 200])
        }
    }

    @Test func answersAClientWhoseIDsAreNumbers() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let network = MockNetwork()
        network.stub(
            try HTTPArchive(contentsOf: folder.appending(path: "Recordings/mcp.har")), times: .any)
        let call = Data(
            #"""
            {"jsonrpc": "2.0", "id": 7, "method": "tools/call",
             "params": {"name": "add", "arguments": {"a": 1, "b": 2}}}
            """#.utf8)

        let (data, _) = try await MockURLSession(network).exchange(
            URLRequest("POST", url).body(call, contentType: "application/json"))

        #expect(String(decoding: data, as: UTF8.self).contains(#""id": 7"#))
    }

    @Test func listensToAServerWithoutMessages() async throws {
        let network = MockNetwork()
        network.stub(.get("/mcp"), .status(405).header("Allow", "POST"))
        let client = MCPClient(url: url, over: network.urlSession)

        #expect(try await client.message(after: "") == nil)
    }
}
