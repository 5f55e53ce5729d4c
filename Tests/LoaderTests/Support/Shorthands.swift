import APIKitLite
import APIKitLiteTesting
import Foundation

extension MockNetwork {
    /// Responds with one of these after another, and then again with the last one.
    func stub(_ matcher: RequestMatcher, each responses: [MockResponse]) {
        stub(matcher, responses[responses.count - 1], times: .any)
        for next in responses.dropLast().reversed() { stub(matcher, next, times: .once) }
    }
}

extension MockClock {
    /// Advances by each of these durations, as soon as a task sleeps.
    func advance(byEach durations: [Duration]) async {
        for duration in durations {
            await waitForSleepers()
            await advance(by: duration)
        }
    }
}

extension URL {
    /// The server of most tests.
    static let api = URL(string: "https://api.example.com")!
}

extension URLSession {
    /// Its tasks, as soon as its queue has done everything else.
    func pendingTasks() async -> [URLSessionTask] {
        await withCheckedContinuation { continuation in
            getAllTasks { continuation.resume(returning: $0) }
        }
    }
}

extension RetryPolicy {
    /// A policy without delays.
    static func attempts(_ count: Int, deadline: Duration? = nil) -> RetryPolicy {
        RetryPolicy(maximumAttempts: count, baseDelay: .zero, deadline: deadline)
    }
}

extension AsyncSequence {
    /// The elements up to the end.
    func all(isolation: isolated (any Actor)? = #isolation) async throws -> [Element] {
        var elements: [Element] = []
        for try await element in self { elements.append(element) }
        return elements
    }
}
