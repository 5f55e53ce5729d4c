extension Trait where Self == SeparateThreads {
    /// Runs a test on threads that it may block, as a client with a blocking socket does. All tests
    /// share Swift's own pool, which has one thread per core.
    package static var mayBlock: Self { SeparateThreads() }
}

/// Runs the cases of a test outside Swift's pool of threads, if the system has task executors.
package struct SeparateThreads: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            return try await function()
        }
        // A serial queue gets another thread if all others are blocked.
        let executor = JobExecutor { DispatchQueue(label: "SeparateThreads") }
        try await withTaskExecutorPreference(executor) { try await function() }
    }
}
