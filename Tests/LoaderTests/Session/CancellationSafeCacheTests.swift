#if canImport(FoundationNetworking)
@testable import APIKitLite
import APIKitLiteTesting
import TestSupport

/// A session that is made safe keeps its cache.
@Suite(.limited, .usesSockets) struct CancellationSafeCacheTests {
    private func sessionAndCache() -> (URLSession, URLCache) {
        let configuration = URLSessionConfiguration.withoutProxy
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: "/dev/null")
        configuration.urlCache = cache
        return (URLSession(configuration: configuration), cache)
    }

    @Test(
        arguments: [
            .useProtocolCachePolicy, .reloadIgnoringLocalCacheData, .returnCacheDataElseLoad,
            .returnCacheDataDontLoad,
        ] as [URLRequest.CachePolicy], [true, false])
    func givesTheSameResponsesAsWithout(
        _ policy: URLRequest.CachePolicy, isStored: Bool
    ) async throws {
        let network = MockNetwork()
        network.stub(
            .any, .text("from the server").header("Cache-Control", "max-age=3600"), times: .any)
        let server = try network.serve()
        var responses: [[String]] = []
        for isSafe in [false, true] {
            let (session, cache) = sessionAndCache()
            if isSafe { session.makeCancellationSafe() }
            var request = URLRequest(url: server.url.appending(path: "a"))
            request.cachePolicy = policy
            if isStored {
                session.configuration.urlCache?.storeCachedResponse(
                    response("from the cache", to: request.url!), for: request)
            }
            let before = network.requests.count
            responses.append([
                "\(await session.plainOutcome(of: request))",
                "\(await session.plainOutcome(of: request))",
                "\(network.requests.count - before)",
                cache.cachedResponse(for: request)?.data.text ?? "nothing",
            ])
        }

        #expect(responses[0] == responses[1])
        // Otherwise both responses could be equal because neither comes from the cache.
        #expect("\(responses[1])".contains("from the cache") == isStored)
    }

    @Test func givesAnExchangeWhatIsStored() async throws {
        let (session, cache) = sessionAndCache()
        let request = URLRequest(url: URL(string: "http://127.0.0.1:1/a")!)
        cache.storeCachedResponse(response("from the cache", to: request.url!), for: request)
        #expect(await session.outcome(of: request) == .body("from the cache"))
    }

    @Test func sharesItsEntriesWithTheSessionsCache() throws {
        let (session, cache) = sessionAndCache()
        let safe = try #require(session.makeCancellationSafe().configuration.urlCache)
        let request = URLRequest.test("a")
        let stored = response("text", to: request.url!)

        safe.storeCachedResponse(stored, for: request)
        #expect(cache.cachedResponse(for: request) == stored)
        #expect(safe.cachedResponse(for: request) == stored)
        #expect(safe.currentMemoryUsage == cache.currentMemoryUsage)
        safe.removeAllCachedResponses()
        #expect(cache.cachedResponse(for: request) == nil)
        #expect((safe.memoryCapacity, safe.diskCapacity) == (1 << 20, 0))
        safe.memoryCapacity = 1
        #expect(cache.memoryCapacity == 1)
    }

    // A subclass decides for itself how it looks up.
    @Test func asksASubclassOfTheCache() async throws {
        final class OwnCache: URLCache, @unchecked Sendable {
            override func getCachedResponse(
                for dataTask: URLSessionDataTask,
                completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
            ) { completionHandler(response("own", to: dataTask.originalRequest!.url!)) }
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = OwnCache(memoryCapacity: 0, diskCapacity: 0, diskPath: "/dev/null")
        let session = URLSession(configuration: configuration)

        let request = URLRequest(url: URL(string: "http://127.0.0.1:1/a")!)
        #expect(await session.outcome(of: request) == .body("own"))
    }

    @Test func leavesTheSharedCacheAlone() async throws {
        let shared = URLCache.shared
        let session = URLSession(configuration: .default).makeCancellationSafe()
        #expect(URLCache.shared === shared)
        #expect(session.configuration.urlCache !== shared)
        #expect(session.configuration.urlCache?.memoryCapacity == shared.memoryCapacity)
        // A configuration that is made afterwards starts from it again.
        #expect(URLSessionConfiguration.default.urlCache === shared)
    }

    @Test func aSessionWithoutACacheGetsNone() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration).makeCancellationSafe()
        #expect(session.configuration.urlCache == nil)
    }

    @Test func aSessionIsMadeSafeOnceForEachCache() async throws {
        let network = MockNetwork()
        network.stub(.any, .text("hello"), times: .any)
        let request = URLRequest(url: try network.serve().url)
        let (session, cache) = sessionAndCache()

        _ = try await session.exchange(request)
        let first = session.configuration.urlCache
        _ = try await session.exchange(request)
        #expect(first !== cache)
        #expect(session.configuration.urlCache === first)

        session.configuration.urlCache = cache
        _ = try await session.exchange(request)
        #expect(session.configuration.urlCache !== cache)
    }

    @Test func manyThreadsMakeASessionSafeOnce() {
        for _ in 0..<10 {
            let (session, cache) = sessionAndCache()
            let found = Locked<Set<ObjectIdentifier>>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                let safe = session.makeCancellationSafe().configuration.urlCache!
                found.withLock { _ = $0.insert(ObjectIdentifier(safe)) }
            }
            #expect(found.withLock { $0.count } == 1)
            #expect(session.configuration.urlCache !== cache)
        }
    }

    @Test func keepsNoSessionAndNoCacheAlive() {
        weak var oldSession: URLSession?
        weak var oldCache: URLCache?
        do {
            let (session, cache) = sessionAndCache()
            session.makeCancellationSafe()
            (oldSession, oldCache) = (session, cache)
        }
        #expect(oldSession == nil)
        #expect(oldCache == nil)
    }
}

private func response(_ text: String, to url: URL) -> CachedURLResponse {
    let response = HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: nil,
        headerFields: ["Cache-Control": "max-age=3600"])!
    return CachedURLResponse(response: response, data: Data(text.utf8))
}

extension URLSession {
    @discardableResult
    func makeCancellationSafe() -> URLSession {
        CancellationSafeCache.wrapCache(of: self)
        return self
    }

    /// The outcome of a task of Foundation's, without the library.
    func plainOutcome(of request: URLRequest) async -> ExchangeOutcome {
        await withCheckedContinuation { continuation in
            dataTask(with: request) { data, _, error in
                let code = (error as? URLError)?.code ?? .unknown
                continuation.resume(returning: data.map { .body($0.text) } ?? .error(code))
            }.resume()
        }
    }
}
#endif
