import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Signing in and out, while requests are under way.
@Suite(.limited) struct CredentialChangeTests {
    @Test func sendsWithoutACredentialWhereThereIsNone() async throws {
        let server = TokenServer()
        let tokens = server.tokens(nil)
        let session = server.session.authenticated(by: tokens)

        #expect(try await session.exchange(.test("data")).1.statusCode == 401)
        tokens.credential = Token(access: "good")
        #expect(try await session.exchange(.test("data")).1.statusCode == 200)
        tokens.credential = nil
        #expect(try await session.exchange(.test("data")).1.statusCode == 401)

        #expect(server.given == ["nobody", "Bearer good", "nobody"])
        #expect(server.refreshCount == 0)
    }

    @Test(arguments: [nil, "good"])
    func goesOnWithWhatWasSetDuringTheRefresh(_ access: String?) async throws {
        for fails in [false, true] {
            let server = TokenServer(
                holdsRefresh: true,
                onRefresh: { _ in
                    fails ? .status(400) : .json(encoding: Token(access: "unwanted"))
                })
            let tokens = server.tokens()
            let session = server.session.authenticated(by: tokens)
            async let task = session.exchange(.test("data"))
            await server.token.waitForRequests()

            tokens.credential = access.map { Token(access: $0) }
            server.token.release()

            // Signed out, it is given its rejection; signed in, it is sent again.
            #expect(try await task.1.statusCode == (access == nil ? 401 : 200))
            #expect(tokens.credential?.access == access)
            #expect(server.given == ["Bearer old"] + (access.map { ["Bearer " + $0] } ?? []))
        }
    }

    @Test func aStreamGetsItsRejectionAfterSigningOut() async throws {
        let server = TokenServer(holdsRefresh: true)
        let tokens = server.tokens()
        let session = server.session.authenticated(by: tokens)
        let task = Task {
            let (body, response) = try await session.stream(.test("data"))
            var received = Data()
            for try await piece in body { received += piece }
            return (received.text, response.statusCode)
        }
        await server.token.waitForRequests()

        tokens.credential = nil
        server.token.release()

        #expect(try await task.value == ("Bearer old", 401))
        #expect(server.given == ["Bearer old"])
    }
}
