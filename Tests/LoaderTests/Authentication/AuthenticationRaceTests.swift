import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

/// Many requests, one credential.
@Suite(.limited, .usesSockets) struct AuthenticationRaceTests {
    @Test(arguments: [Token(access: "old"), .expired])
    func refreshesOnceForAThousandRequests(_ token: Token) async throws {
        // All are sent with the old token before the first one is rejected.
        let together = Barrier(1_000)
        let server = TokenServer(onData: { given in
            if given == "Bearer old" { await together.wait() }
        })
        let tokens = server.tokens(token)
        // Two chains that share the credential.
        let sessions = [
            server.session.authenticated(by: tokens), server.session.authenticated(by: tokens),
        ]

        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<1_000 {
                group.addTask { try await sessions[number % 2].exchange(.test("data")).0.text }
            }
            for try await answer in group { #expect(answer == "Bearer new1") }
        }

        #expect(server.refreshCount == 1)
        #expect(server.given.count == (token == .expired ? 1_000 : 2_000))
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func failsAllWaitingRequestsOnce() async throws {
        let server = TokenServer(
            accepting: "new2", onRefresh: { $0 == 1 ? .status(400).held : nil })
        let session = server.session.authenticated(by: server.tokens(.expired))
        let executor = QueueExecutor(isSerial: false)
        let tasks = (0..<200).map { _ in
            executor.start { try await session.exchange(.test("data")) }
        }
        await executor.settle()
        server.token.release()

        for task in tasks {
            let error = await #expect(throws: APIRequestError.self) { try await task.value }
            #expect(error?.statusCode == 400)
        }
        #expect(server.refreshCount == 1)
        #expect(try await session.exchange(.test("data")).0.text == "Bearer new2")
        #expect(server.refreshCount == 2)
        #expect(server.given == ["Bearer new2"])
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func cancelsOneWaitingRequestAlone() async throws {
        let server = TokenServer(holdsRefresh: true)
        let session = server.session.authenticated(by: server.tokens(.expired))
        let executor = QueueExecutor(isSerial: true)
        let loader = APIRequestLoader(apiRequest: TextRequest(), urlSession: session)
        // The first request started the refresh.
        let tasks = (0..<10).map { _ in executor.start { try await loader.load("/data") } }
        await executor.settle()

        for number in [0, 5] {
            tasks[number].cancel()
            let error = await #expect(throws: APIRequestError.self) {
                try await tasks[number].value
            }
            #expect(error?.isCancellation == true)
            #expect((error?.underlying as? URLError)?.code == .cancelled)
        }
        server.token.release()

        for number in 1..<10 where number != 5 {
            #expect(try await tasks[number].value == "Bearer new1")
        }
        #expect(server.refreshCount == 1)
        #expect(server.given.count == 8)
    }

    // A refresh token that was used up for nothing would sign the user out.
    @Test func finishesARefreshThatNobodyWaitsForAnyMore() async throws {
        let isKept = Gate()
        let server = TokenServer(holdsRefresh: true)
        let tokens = server.tokens { rejection in
            defer { isKept.open() }
            return try await refreshedToken(rejection)
        }
        let session = server.session.authenticated(by: tokens)
        let task = Task { try await session.exchange(.test("data")) }
        await server.token.waitForRequests()

        task.cancel()
        await #expect(throws: URLError.self) { try await task.value }
        server.token.release()
        await isKept.wait()
        #expect(try await session.exchange(.test("data")).0.text == "Bearer new1")
        #expect(server.refreshCount == 1)
    }

    @Test func endsEachRequestOnceUnderCancellation() async throws {
        let server = TokenServer(onData: { _ in await Task.yield() })
        let session = server.session.authenticated(by: server.tokens())

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                let task = Task { try await session.exchange(.test("data")).0.text }
                group.addTask {
                    if number.isMultiple(of: 3) { task.cancel() }
                    do {
                        #expect(try await task.value == "Bearer new1")
                    } catch {
                        #expect((error as? URLError)?.code == .cancelled)
                        #expect(number.isMultiple(of: 3))
                    }
                }
            }
        }

        #expect(server.refreshCount == 1)
    }
}
