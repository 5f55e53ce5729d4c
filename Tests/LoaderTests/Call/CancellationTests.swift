import APIKitLite
import APIKitLiteTesting
import Foundation
import TestSupport
import Testing

@Suite(.limited, .usesSockets) struct CancellationTests {
    @Test func neverParsesWhenCancelledAfter() async throws {
        struct Parsing: APIRequest {
            let parses: Locked<Int>
            func makeRequest(from data: Void) throws -> URLRequest { .test("a") }
            func parseResponse(data: Data) throws -> String {
                parses.withLock { $0 += 1 }
                return ""
            }
        }
        let session = MockURLSession().intercepting { request, _ in
            withUnsafeCurrentTask { $0?.cancel() }
            return try answer(to: request, "body")
        }
        let parses = Locked(0)
        let loader = APIRequestLoader(apiRequest: Parsing(parses: parses), urlSession: session)

        let error = await #expect(throws: APIRequestError.self) {
            try await Task { try await loader.load(()) }.value
        }
        #expect(error?.stage == .transport)
        #expect(error?.isCancellation == true)
        #expect(parses.withLock { $0 } == 0)
    }

    // As a rejected certificate is.
    @Test func isNotACancellationWhenNobodyCancelled() async throws {
        let network = MockNetwork()
        network.stub(.any, .error(.cancelled))
        let loader = APIRequestLoader(apiRequest: TextRequest(), urlSession: network.urlSession)

        let error = await #expect(throws: APIRequestError.self) { try await loader.load("/a") }
        #expect(error?.stage == .transport)
        #expect(error?.isCancellation == false)
    }

    @Test func leavesNoTaskAndNoLoaderBehind() async throws {
        final class Tracked: APIRequest, Sendable {
            let count: Locked<Int>
            init(_ count: Locked<Int>) {
                self.count = count
                count.withLock { $0 += 1 }
            }
            deinit { count.withLock { $0 -= 1 } }
            func makeRequest(from path: String) throws -> URLRequest { .test(path) }
            func parseResponse(data: Data) throws -> String { data.text }
        }
        let alive = Locked(0)
        let network = MockNetwork { request in (HTTPURLResponse(), Data("x".utf8)) }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<16 {
                group.addTask {
                    for index in 0..<50 {
                        let loader = APIRequestLoader(
                            apiRequest: Tracked(alive), urlSession: network.urlSession)
                        let task = Task { try await loader.load("a") }
                        if (index + worker).isMultiple(of: 3) {
                            await Task.yield()
                            task.cancel()
                        }
                        let result = await task.result
                        if case .failure(let error) = result {
                            #expect((error as? APIRequestError)?.isCancellation == true)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let tasks = await withCheckedContinuation { continuation in
            network.urlSession.getAllTasks { continuation.resume(returning: $0.count) }
        }

        #expect(tasks == 0)
        #expect(alive.withLock { $0 } == 0)
    }
}
