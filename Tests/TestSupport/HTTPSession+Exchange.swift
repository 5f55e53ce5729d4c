import APIKitLite

extension HTTPSession {
    /// The `data(for:progress:)` of the library, even on a `URLSession`, where the compiler prefers
    /// Foundation's function with this name.
    package func exchange(
        _ request: URLRequest,
        progress: (@Sendable (_ bytes: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        try await data(for: request, progress: progress)
    }
}
