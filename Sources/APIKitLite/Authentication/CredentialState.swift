/// One credential and how often it was changed. All that is decided about it is decided here.
struct CredentialState<Credential> {
    /// What a request does about its credential.
    enum Step {
        /// It is sent as it is: nobody is signed in.
        case none
        /// It is sent with this credential.
        case use(Credential)
        /// It waits until this credential was exchanged for another.
        case refresh(Credential)
    }

    private(set) var credential: Credential?
    /// Tells a credential from an earlier one, also where both are the same text.
    private(set) var generation = 0

    init(_ credential: Credential?) {
        self.credential = credential
    }

    mutating func set(_ credential: Credential?) {
        self.credential = credential
        generation += 1
    }

    /// - Parameters:
    ///   - rejected: The generation of the credential that the server has rejected, if it has. One
    ///     that was replaced meanwhile says nothing about its successor.
    ///   - isStale: Whether the present credential is not worth trying.
    func step(afterRejected rejected: Int?, isStale: (Credential) -> Bool) -> Step {
        guard let credential else { return .none }
        let isGood = rejected != generation && !isStale(credential)
        return isGood ? .use(credential) : .refresh(credential)
    }

    /// Puts in what a refresh gave, unless somebody signed in or out meanwhile: their word counts.
    ///
    /// - Returns: Whether it was put in.
    mutating func replace(_ refreshed: Int, with credential: Credential) -> Bool {
        guard refreshed == generation else { return false }
        set(credential)
        return true
    }
}

extension CredentialState: Sendable where Credential: Sendable {}

/// No credential that is kept.
extension CredentialState: OpaquelyReflected {
    var description: String { "credential \(generation)" }
}
