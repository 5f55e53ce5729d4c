// Other platforms cannot start a process.
#if os(macOS) || os(Linux)
import APIKitLite

/// Runs a test with `URLSession.shared` as the first session of its process, as in an app that makes
/// no other one. On Linux, its configuration then names no protocol class.
///
/// Only the body of an exit test has a process in which no other test has made a session.
/// `serve()` and the servers of this folder make no session. An exit test has no arguments, so a
/// table is a loop, as with `forEachRow`.
package func withFirstSession(
    isolation: isolated (any Actor)? = #isolation, _ body: (URLSession) async throws -> Void
) async throws {
    // The time limit of the test does not end the process.
    alarm(1_200)
    _ = URLSessionConfiguration.withoutProxy
    let session = URLSession.shared
    #if canImport(FoundationNetworking)
    #expect(session.configuration.protocolClasses?.isEmpty == true, "there is another session")
    #endif
    try await body(session)
}
#endif
