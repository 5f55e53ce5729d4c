import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// A message of JSON-RPC 2.0 to the server. A notification has no ID.
private struct Call: Encodable, Sendable {
    struct Meta: Encodable, Sendable { var progressToken: Int? }
    struct Params: Encodable, Sendable {
        var protocolVersion: String?
        var capabilities: [String: String]?
        var clientInfo: [String: String]?
        var name: String?
        var arguments: [String: Int]?
        var cursor: String?
        var requestId: Int?
        var _meta: Meta?
    }

    let jsonrpc = "2.0"
    var id: Int?
    let method: String
    var params: Params?

    static let initialize = Call(
        method: "initialize",
        params: Params(
            protocolVersion: "2025-11-25", capabilities: [:],
            clientInfo: ["name": "sample", "version": "1"]))
    static let initialized = Call(method: "notifications/initialized")

    static func tools(after cursor: String?) -> Call {
        Call(method: "tools/list", params: Params(cursor: cursor))
    }

    static func tool(_ name: String, _ arguments: [String: Int]) -> Call {
        Call(method: "tools/call", params: Params(name: name, arguments: arguments))
    }

    static func cancelled(_ id: Int) -> Call {
        Call(method: "notifications/cancelled", params: Params(requestId: id))
    }

    func numbered(_ id: Int) -> Call {
        var call = self
        call.id = id
        if method == "tools/call" { call.params?._meta = Meta(progressToken: id) }
        return call
    }
}

/// A message of JSON-RPC 2.0 from the server: a result, an error or a notification.
private struct Reply: Decodable, Sendable {
    struct Content: Decodable, Sendable { let text: String }
    struct Tool: Decodable, Sendable { let name: String }
    struct Result: Decodable, Sendable {
        let protocolVersion: String?
        let content: [Content]?
        let tools: [Tool]?
        let nextCursor: String?
    }
    struct Failure: Decodable, Error { let message: String }
    struct Params: Decodable, Sendable { let message: String? }

    let id: Int?
    let params: Params?
    let result: Result?
    let error: Failure?
}

private enum MCPError: Error { case noAnswer, notAccepted }

private struct MCPRequest: StreamedAPIRequest {
    let url: URL
    var sessionID: String?
    var version: String?

    func makeRequest(from call: Call) throws -> URLRequest {
        try makeRequest("POST").jsonBody(call)
            .header("Accept", "application/json, text/event-stream")
    }

    func makeRequest(_ method: String) throws -> URLRequest {
        try URLRequest(method, url)
            .header("Mcp-Session-Id", sessionID)
            .header("Mcp-Protocol-Version", version)
    }

    func makeParser(for response: HTTPURLResponse) -> ServerSentEvents {
        ServerSentEvents(orBodyOf: response)
    }
}

private actor MCPClient {
    private(set) var progress: [String] = []
    private let session: any HTTPSession
    private var request: MCPRequest
    private var lastID = 0

    init(url: URL, over session: any HTTPSession) {
        self.session = session
        request = MCPRequest(url: url)
    }

    func start() async throws {
        request = MCPRequest(url: request.url)
        lastID += 1
        let (result, response) = try await answer(to: .initialize, lastID)
        request.version = result.protocolVersion
        request.sessionID = response?.value(
            forHTTPHeaderField: "Mcp-Session-Id")
        try await notify(.initialized)
    }

    func notify(_ call: Call) async throws {
        let (_, response) = try await session.exchange(
            request.makeRequest(from: call))
        guard response.statusCode == 202 else { throw MCPError.notAccepted }
    }

    private func answer(
        to call: Call, _ id: Int
    ) async throws -> (Reply.Result, HTTPURLResponse?) {
        var lastEventID = ""
        let stream = session.stream(request, call.numbered(id))
        var events = stream.makeAsyncIterator()
        do {
            while let event = try await events.next() {
                lastEventID = event.id
                if let result = try read(event, id) {
                    return (result, events.response)
                }
            }
        } catch let error as APIRequestError
            where error.stage == .transport && !lastEventID.isEmpty
        {
            // The connection was lost, and the server goes on.
        }
        guard !lastEventID.isEmpty else { throw MCPError.noAnswer }
        let rest = try request.makeRequest("GET")
        for try await event in session.events(rest, after: lastEventID) {
            if let result = try read(event, id) { return (result, nil) }
        }
        throw MCPError.noAnswer
    }

    private func read(_ event: ServerSentEvent, _ id: Int) throws -> Reply.Result? {
        if event.data.isEmpty { return nil }
        let reply = try JSONDecoder().decode(
            Reply.self, from: Data(event.data.utf8))
        if let message = reply.params?.message { progress.append(message) }
        guard reply.id == id else { return nil }
        if let error = reply.error { throw error }
        return reply.result
    }

    func result(of call: Call) async throws -> Reply.Result {
        lastID += 1
        let id = lastID
        do {
            return try await answer(to: call, id).0
        } catch let error as APIRequestError where error.statusCode == 404 {
            try await start()
            lastID += 1
            return try await answer(to: call, lastID).0
        } catch let error as APIRequestError where error.isCancellation {
            Task { try await notify(.cancelled(id)) }
            throw error
        }
    }

    func tools() async throws -> [String] {
        var names: [String] = []
        var cursor: String?
        repeat {
            let page = try await result(of: .tools(after: cursor))
            names += page.tools?.map(\.name) ?? []
            cursor = page.nextCursor
        } while cursor != nil
        return names
    }

    func end() async throws {
        _ = try await session.exchange(request.makeRequest("DELETE"))
    }

    func call(_ tool: String, _ arguments: [String: Int] = [:]) async throws -> String? {
        try await result(of: .tool(tool, arguments)).content?.first?.text
    }
}

/// The samples of MCPClient.md.
@Suite(.limited) struct MCPClientSamples {
    private let url = URL(string: "http://127.0.0.1:8808/mcp")!

    @Test func usesARecordedServer() async throws {
        try await withMockNetwork(
            replaying: "mcp", redacting: .standard.showing("progressToken")
        ) { network in
            let client = MCPClient(url: url, over: network.urlSession)

            try await client.start()
            let tools = try await client.tools()
            let sum = try await client.call("add", ["a": 1, "b": 2])
            let count = try await client.call("count", ["to": 2])
            let back = try await client.call("leave")
            try await client.end()

            #expect(tools == ["add", "count", "leave"])
            #expect([sum, count, back] == ["3", "done", "back"])
            #expect(await client.progress == ["1 of 2", "2 of 2"])
        }
    }

    @Test func resumesACall() async throws {
        let network = MockNetwork()
        let first = MockResponse.chunks(
            ["id: 7\ndata:\n\n"], contentType: "text/event-stream")
        network.stub(.post("/mcp"), first.failing(afterBytes: 13))
        network.stub(
            .get("/mcp").header("Last-Event-ID", "7"),
            .events([#"{"id": 1, "result": {"content": [{"text": "3"}]}}"#]))
        let client = MCPClient(url: url, over: network.urlSession)

        #expect(try await client.call("add", ["a": 1, "b": 2]) == "3")
    }

    @Test func startsANewSession() async throws {
        let network = MockNetwork()
        let result = #"{"id": 2, "result": {"protocolVersion": "2025-11-25"}}"#
        network.stub(
            .post("/mcp"), .status(404),
            .json(result, headers: ["Mcp-Session-Id": "s2"]), .status(202),
            .json(#"{"id": 3, "result": {"content": [{"text": "3"}]}}"#))
        let client = MCPClient(url: url, over: network.urlSession)

        #expect(try await client.call("add", ["a": 1, "b": 2]) == "3")
        let sessions = network.requests.map { $0.header("Mcp-Session-Id") }
        #expect(sessions == [nil, nil, "s2", "s2"])
        #expect(network.requests.last?.header("Mcp-Protocol-Version") == "2025-11-25")
    }

    @Test func tellsTheServerThatACallIsCancelled() async throws {
        let network = MockNetwork()
        network.stub(.post("/mcp"), .hanging, .status(202))
        let client = MCPClient(url: url, over: network.urlSession)

        let call = Task { try await client.call("count", ["to": 9]) }
        await network.waitForRequests()
        call.cancel()
        await network.waitForRequests(2)

        #expect(
            network.requests[1].json == """
                {"jsonrpc":"2.0","method":"notifications/cancelled",\
                "params":{"requestId":1}}
                """)
    }
}
