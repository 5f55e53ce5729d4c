/// Runs a body with a network of its own, and verifies the network at the end.
///
/// - Parameters:
///   - clock: The clock of the network, as in ``MockNetwork/init(clock:)``.
///   - fileID: The file that error texts name as the place of the network and its verification.
///   - line: The line that error texts name as the place of the network and its verification.
///   - body: The code of the test, which receives the network.
/// - Returns: The value that the body returns.
/// - Throws: The error that the body throws, or ``VerificationError`` if the verification fails. If
///   both happen, one ``VerificationError`` that contains both; a finding whose text is already
///   part of the body's error is not repeated.
@discardableResult
public nonisolated(nonsending) func withMockNetwork<R>(
    clock: (any Clock<Duration>)? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) (MockNetwork) async throws -> R
) async throws -> R {
    let network = MockNetwork(
        NetworkCore(clock: clock, sourceLocation: "\(fileID):\(line)"))
    return try await verifying(network, at: "\(fileID):\(line)", body)
}

/// Runs a body with a network, and verifies the network at the end.
///
/// - Throws: As ``withMockNetwork(clock:fileID:line:_:)``.
nonisolated(nonsending) func verifying<R>(
    _ network: MockNetwork, at sourceLocation: String,
    _ body: nonisolated(nonsending) (MockNetwork) async throws -> R
) async throws -> R {
    let result: R
    do {
        result = try await body(network)
    } catch {
        // The body often threw the error of an unmatched request, which is also a finding.
        let thrown = "\(error)"
        let findings = network.core.findings(at: sourceLocation)
            .filter { !thrown.contains($0) }
        if findings.isEmpty { throw error }
        throw VerificationError(findings: findings, bodyError: error)
    }
    try network.verify(at: sourceLocation)
    return result
}
