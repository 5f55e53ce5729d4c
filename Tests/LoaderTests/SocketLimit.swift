import APIKitLite
import Testing

extension Trait where Self == SocketLimit {
    /// Lets only some tests of this kind run at a time: each has a server, and so a handful of
    /// descriptors, of which macOS gives a process 256.
    static var usesSockets: Self { SocketLimit() }
}

/// Limits how many test cases with sockets run at a time, in whichever suite they are.
struct SocketLimit: SuiteTrait, TestTrait, TestScoping {
    private static let semaphore = AsyncSemaphore(8)

    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> SocketLimit? {
        testCase == nil ? nil : self
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.semaphore.wait()
        defer { Self.semaphore.signal() }
        try await function()
    }
}
