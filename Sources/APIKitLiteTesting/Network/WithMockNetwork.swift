import APIKitLite

/// Runs a body of code with a new network, and verifies the network at the end.
///
/// - Parameters:
///   - clock: The network's clock, as in ``MockNetwork/init(clock:)``.
///   - fileID: The file to name in error messages.
///   - line: The line to name in error messages.
///   - body: The test's code, which receives the network.
/// - Returns: The value that the body returns.
/// - Throws: Any error thrown by the body, or ``VerificationError`` if the verification fails. If
///   the body throws and the verification finds problems that the body's error does not include,
///   one ``VerificationError`` contains the body's error and these problems.
@discardableResult
public nonisolated(nonsending) func withMockNetwork<R>(
    clock: (any Clock<Duration>)? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) (MockNetwork) async throws -> R
) async throws -> R {
    let network = MockNetwork(
        NetworkCore(clock: clock, sourceLocation: "\(fileID):\(line)"))
    return try await verifying(network, body)
}

/// Runs a body of code with a network, and verifies the network at the end.
///
/// - Throws: The same errors as ``withMockNetwork(clock:fileID:line:_:)``.
nonisolated(nonsending) func verifying<R>(
    _ network: MockNetwork, _ body: nonisolated(nonsending) (MockNetwork) async throws -> R
) async throws -> R {
    let result: R
    do {
        result = try await body(network)
    } catch {
        // The body often throws the error for an unmatched request. That error is also a finding.
        let thrown = "\(error)"
        let findings = network.core.findings.filter { !thrown.contains($0) }
        if findings.isEmpty { throw error }
        throw VerificationError(findings: findings, bodyError: error)
    }
    try network.verify()
    return result
}

/// The error for a failed verification, with its findings.
public struct VerificationError: DescribedError, Sendable {
    /// One message for each finding.
    ///
    /// The messages list at most 20 requests without a response, 20 unused exchanges of a
    /// recording, 20 stubs that were used the wrong number of times, and 20 pending requests.
    /// Further messages count the rest.
    package let findings: [String]

    /// The error thrown by the body of `withMockNetwork`; nil if the body did not throw.
    let bodyError: (any Error)?

    /// The body's error, if there is one, followed by the findings.
    public var description: String {
        let thrown = bodyError.map { error in
            ["The body threw: \(error)", "The network, verified after it:"]
        }
        return ((thrown ?? []) + findings).joined(separator: "\n")
    }
}
