@testable import APIKitLite

extension Trait where Self == SocketLimit {
    /// Lets only a few tests of this kind run at a time. Each has a server or several sessions, and
    /// therefore a dozen descriptors or more; on Linux even a mocked session takes two.
    package static var usesSockets: Self { usesSockets(places: 1) }

    /// Runs a test that needs as many descriptors as several others in place of them.
    package static func usesSockets(places: Int) -> Self {
        SocketLimit(places: min(places, SocketLimit.count))
    }

    /// Runs a test that needs a hundred descriptors while no other test with sockets runs.
    package static var usesManySockets: Self { SocketLimit(places: SocketLimit.count) }
}

/// Limits how many test cases with sockets run at a time, in all suites together.
package struct SocketLimit: SuiteTrait, TestTrait, TestScoping {
    /// One at a time if the process may have only 256 descriptors, as many systems set by default.
    fileprivate static let count = raisedDescriptorLimit() < 1_024 ? 1 : 16
    private static let semaphore = AsyncSemaphore(count)
    /// Held while several places are taken: no two tests wait for places of each other.
    private static let taking = AsyncSemaphore(1)

    fileprivate let places: Int

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // The time limit of a test may end a wait, so the taken places are returned in any case.
        var taken = 0
        defer { for _ in 0..<taken { Self.semaphore.signal() } }
        try await Self.taking.wait()
        do {
            defer { Self.taking.signal() }
            while taken < places {
                try await Self.semaphore.wait()
                taken += 1
            }
        }
        try await function()
    }
}

/// Raises the number of descriptors that the process may have to 4,096, if it is lower and the
/// system allows it.
///
/// - Returns: The number that it may have from now on.
package func raisedDescriptorLimit() -> Int {
    var limit = rlimit()
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let resource = RLIMIT_NOFILE
    #endif
    getrlimit(resource, &limit)
    if limit.rlim_cur < 4_096 {
        limit.rlim_cur = min(4_096, limit.rlim_max)
        setrlimit(resource, &limit)
    }
    return Int(clamping: limit.rlim_cur)
}
