import APIKitLite
import Foundation

/// Runs a body of code once for each fault of one answer, each time with a network of its own that
/// gives that broken answer to any request.
///
/// Nobody thinks of a connection that ends after the 17th byte; so a client meets it first at its
/// user's. Here a test meets all of ``Fault/all(of:seed:)``:
///
/// ```swift
/// let sample = MockResponse.json(#"{"name": "Emma"}"#)
/// try await forEachFault(in: sample) { network in
///     let loader = APIRequestLoader(apiRequest: UserRequest(), urlSession: network.urlSession)
///     return try await loader.load(42)
/// }
/// ```
///
/// The body must end in a value, whichever it is, or an `APIRequestError`, within a second of real
/// time. It may use the network over its `urlSession`, a ``MockURLSession`` or its server. Timeouts
/// and slow bytes take no real time. Up to 16 bodies run at once, on the actor of the place where
/// they stand, if it has one.
///
/// - Parameters:
///   - sample: A good answer.
///   - seed: Decides which faults of a long body are tried. A failure prints it.
///   - fileID: The file that a failure names.
///   - line: The line that a failure names.
///   - body: Gets the network.
/// - Returns: What the body came to under each fault.
/// - Throws: ``FaultError``, which names each fault under which the body hung, or threw another
///   error; ``MockError`` if the sample is not usable; `CancellationError`.
@discardableResult
public func forEachFault<R>(
    in sample: MockResponse, seed: UInt64 = .random(in: 0 ... .max),
    fileID: StaticString = #fileID, line: UInt = #line,
    // As for `Task`: else a client on the main actor would have to say so in every body.
    @_inheritActorContext _ body: @escaping @Sendable (MockNetwork) async throws -> R
) async throws -> FaultReport {
    try await FaultRun(sample, seed: seed, sourceLocation: "\(fileID):\(line)").report {
        network, _ in
        _ = try await body(network)
    }
}

/// Runs a body of code once for each fault of one answer, and hands it the clock of the network.
///
/// For a client that waits: a policy that retries after 120 seconds waits on this clock, which
/// moves on by itself as soon as nothing else happens.
///
/// ```swift
/// try await forEachFault(in: sample) { network, clock in
///     let session = network.urlSession.retrying(.standard, clock: clock)
///     return try await APIRequestLoader(apiRequest: UserRequest(), urlSession: session).load(42)
/// }
/// ```
///
/// Everything else is as without the clock.
@discardableResult
public func forEachFault<R>(
    in sample: MockResponse, seed: UInt64 = .random(in: 0 ... .max),
    fileID: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ body: @escaping @Sendable (MockNetwork, MockClock) async throws -> R
) async throws -> FaultReport {
    try await FaultRun(sample, seed: seed, sourceLocation: "\(fileID):\(line)").report {
        network, clock in
        _ = try await body(network, clock)
    }
}
