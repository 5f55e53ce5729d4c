import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// What holds for a credential over each transport.
@Suite(.limited, .usesManySockets) struct CredentialTests {
    /// A session with the credential of a user, and the requests that are sent over it.
    private struct Client {
        let session: any HTTPSession
        let tokens: Credentials<Token>
        let baseURL: URL

        init(_ server: TokenServer, _ transport: Transport, _ token: Token?) throws {
            let (wire, baseURL) = try transport.open(server.network)
            self.baseURL = baseURL
            tokens = server.tokens(token, for: baseURL)
            session = wire.authenticated(by: tokens)
        }

        func data(at path: String = "data") async throws -> (text: String, status: Int) {
            let (data, response) = try await session.exchange(
                URLRequest(url: baseURL.appending(path: path)))
            return (data.text, response.statusCode)
        }
    }

    @Test(arguments: Transport.allCases)
    func isNotRefreshedByALateRejection(_ transport: Transport) async throws {
        let (isSent, mayAnswer) = (Gate(), Gate())
        let isFirst = Locked(true)
        let server = TokenServer(onData: { _ in
            guard isFirst.withLock({ $0 }) else { return }
            isFirst.withLock { $0 = false }
            isSent.open()
            await mayAnswer.wait()
        })
        let client = try Client(server, transport, Token(access: "old"))

        async let late = client.data().text
        await isSent.wait()
        #expect(try await client.data().text == "Bearer new1")
        mayAnswer.open()
        #expect(try await late == "Bearer new1")
        #expect(server.refreshCount == 1)
        #expect(server.given == ["Bearer old", "Bearer old", "Bearer new1", "Bearer new1"])
    }

    @Test(arguments: Transport.allCases)
    func isSignedOutOnce(_ transport: Transport) async throws {
        let together = Barrier(5)
        let server = TokenServer(
            onData: { given in if given == "Bearer old" { await together.wait() } },
            onRefresh: { _ in .json(#"{"error": "invalid_grant"}"#, status: 400) })
        let client = try Client(server, transport, Token(access: "old"))

        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<5 { group.addTask { try await client.data().status } }
            for try await status in group { #expect(status == 401) }
        }
        #expect(client.tokens.credential == nil)
        #expect(server.refreshCount == 1)
        #expect(try await client.data().text == "nobody")
        #expect(server.refreshCount == 1)
    }

    @Test func isSentToItsOriginOnly() async throws {
        let (server, other) = (TokenServer(), TokenServer())
        let client = try Client(server, .loopback, Token(access: "good"))
        let elsewhere = try other.network.serve().url.appending(path: "data")
        server.network.stub(.get("/moved"), .redirect(to: elsewhere.absoluteString))

        #expect(try await client.data(at: "moved").text == "nobody")
        _ = try await client.session.exchange(URLRequest(url: elsewhere))
        #expect(other.given == ["nobody", "nobody"])
        #expect(server.refreshCount == 0)
        #expect(other.refreshCount == 0)
        #expect(try await client.data().text == "Bearer good")
    }
}
