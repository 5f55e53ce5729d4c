import APIKitLite
import Foundation

/// The error of a failed verification of a network, with all findings.
public struct VerificationError: DescribedError, Sendable {
    /// One text for each finding.
    ///
    /// Of requests that no stub answered, of stubs that were used too seldom or too often, and of
    /// requests that a client still waits for, the first 20 are listed. One more text counts the
    /// others.
    public let findings: [String]

    /// The error that the body of ``withMockNetwork(clock:redacting:fileID:line:_:)`` threw; nil if it
    /// threw none.
    package let bodyError: (any Error)?

    /// The secrets that the text of the body's error hides: those of the network.
    let redaction: Redaction

    /// The body's error, if there is one, and then the findings.
    public var description: String {
        let thrown = bodyError.map { error in
            ["The body threw: \(text(of: error))", "The network, verified after it:"]
        }
        return ((thrown ?? []) + findings).joined(separator: "\n")
    }

    /// Returns the text of the body's error. That of a load hides the secrets of the network.
    private func text(of error: any Error) -> String {
        switch error {
        case let error as APIRequestError:
            "\(error.hiding(redaction))"
        default:
            "\(error)"
        }
    }
}

/// Runs a body with a network of its own, and verifies the network at the end.
///
/// - Parameters:
///   - clock: The clock of the network, as in ``MockNetwork/init(clock:redacting:)``.
///   - redaction: The secrets that the texts of the network hide, as in
///     ``MockNetwork/init(clock:redacting:)``.
///   - fileID: The file that error texts name as the place of the network and its verification.
///   - line: The line that error texts name as the place of the network and its verification.
///   - body: The code of the test, which receives the network.
/// - Returns: The value that the body returns.
/// - Throws: The error that the body throws, or ``VerificationError`` if the verification fails. If
///   both happen, one ``VerificationError`` that contains both; a finding whose text is already
///   part of the body's error is not repeated.
@discardableResult
public nonisolated(nonsending) func withMockNetwork<R>(
    clock: (any Clock<Duration>)? = nil, redacting redaction: Redaction = .standard,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) (MockNetwork) async throws -> R
) async throws -> R {
    let network = MockNetwork(
        NetworkCore(
            clock: clock, redaction: redaction, sourceLocation: "\(fileID):\(line)"))
    return try await verifying(network, at: "\(fileID):\(line)", body)
}

/// Runs a body with a network, and verifies the network at the end.
///
/// - Throws: As ``withMockNetwork(clock:redacting:fileID:line:_:)``.
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
        throw VerificationError(
            findings: findings, bodyError: error, redaction: network.core.redaction)
    }
    try network.verify(at: sourceLocation)
    return result
}
