import APIKitLite
import Testing

extension Trait where Self == SocketLimit {
    /// Lets only some tests of this kind run at a time: each has a server or several sessions, and so
    /// a dozen descriptors, of which macOS gives a process 256.
    static var usesSockets: Self { SocketLimit(places: 1) }

    /// Lets no other test with sockets run beside one that needs a hundred descriptors.
    static var usesManySockets: Self { SocketLimit(places: SocketLimit.count) }
}

/// Limits how many test cases with sockets run at a time, in whichever suite they are.
struct SocketLimit: SuiteTrait, TestTrait, TestScoping {
    fileprivate static let count = 4
    private static let semaphore = AsyncSemaphore(count)
    /// Held while several places are taken, so that no two tests wait for each other's.
    private static let taking = AsyncSemaphore(1)

    fileprivate let places: Int

    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> SocketLimit? {
        testCase == nil ? nil : self
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.taking.wait()
        for _ in 0..<places { try await Self.semaphore.wait() }
        Self.taking.signal()
        defer { for _ in 0..<places { Self.semaphore.signal() } }
        try await function()
    }
}
