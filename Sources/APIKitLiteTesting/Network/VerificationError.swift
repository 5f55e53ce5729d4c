import APIKitLite
import Foundation

/// What ``MockNetwork/verify(fileID:line:)`` found.
public struct VerificationError: LocalizedError, CustomStringConvertible, Sendable {
    /// One text for each thing that is wrong; of very many requests the first 20, and how many more
    /// there are.
    public let findings: [String]

    /// What the body of ``withMockNetwork(clock:fileID:line:_:)`` threw, if it did.
    public let bodyError: (any Error)?

    /// Everything, one to a line, the body's error first.
    public var description: String {
        let thrown = bodyError.map { error in
            let text = "\(error)"
            let isSafe = error is any RedactedError
            return [
                "The body threw: \(isSafe ? text : Redaction.standard.text(text))",
                "The network, verified after it:",
            ]
        }
        return ((thrown ?? []) + findings).joined(separator: "\n")
    }

    /// The same text.
    public var errorDescription: String? { description }
}

/// Runs a body with a network of its own, and verifies it at the end.
///
/// The clock is the network's, as in ``MockNetwork/init(clock:)``.
///
/// - Returns: What the body returns.
/// - Throws: What the body throws, or ``VerificationError`` from ``MockNetwork/verify(fileID:line:)``; where
///   both go wrong, one ``VerificationError`` that holds both.
@discardableResult
public nonisolated(nonsending) func withMockNetwork<R>(
    clock: (any Clock<Duration>)? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) (MockNetwork) async throws -> R
) async throws -> R {
    let network = MockNetwork(clock: clock)
    let sourceLocation = "\(fileID):\(line)"
    let result: R
    do {
        result = try await body(network)
    } catch {
        // An unmatched request is a finding, and often what the body threw.
        let thrown = "\(error)"
        let findings = network.core.findings(at: sourceLocation).filter { !thrown.contains($0) }
        throw findings.isEmpty ? error : VerificationError(findings: findings, bodyError: error)
    }
    try network.verify(fileID: fileID, line: line)
    return result
}
