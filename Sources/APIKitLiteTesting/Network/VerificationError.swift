import APIKitLite

/// The error of a failed verification of a network, with all findings.
public struct VerificationError: DescribedError, Sendable {
    /// One text for each finding.
    ///
    /// Of requests that no stub answered, of stubs that were used too seldom or too often, and of
    /// requests that a client still waits for, the first 20 are listed. One more text counts the
    /// others.
    public let findings: [String]

    /// The error that the body of ``withMockNetwork(clock:fileID:line:_:)`` threw; nil if it
    /// threw none.
    let bodyError: (any Error)?

    /// The body's error, if there is one, and then the findings.
    public var description: String {
        let thrown = bodyError.map { error in
            ["The body threw: \(error)", "The network, verified after it:"]
        }
        return ((thrown ?? []) + findings).joined(separator: "\n")
    }
}
