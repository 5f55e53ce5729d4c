/// A credential, and what is known about it.
struct CredentialState<Credential: Sendable>: Sendable {
    private(set) var credential: Credential?
    /// The number of changes so far. It distinguishes a credential from an earlier one, even if
    /// both are equal.
    private(set) var generation = 0
    /// False until the first credential was loaded or set.
    private(set) var isLoaded: Bool
    private(set) var isSaved = true

    init(_ credential: Credential?, isLoaded: Bool) {
        (self.credential, self.isLoaded) = (credential, isLoaded)
    }

    mutating func set(_ credential: Credential?, isSaved: Bool) {
        (self.credential, self.isSaved, isLoaded) = (credential, isSaved, true)
        generation += 1
    }

    /// Notes that a generation was saved, which may not be the current one any more.
    mutating func didSave(_ saved: Int) {
        if saved == generation { isSaved = true }
    }
}

/// The app's own store of a token.
struct CredentialStore<Credential: Sendable>: Sendable {
    /// Returns the token to use, which differs from the one that a server rejected.
    let token: @Sendable (_ rejected: Credential?) async throws -> Credential?
    let isSame: @Sendable (Credential?, Credential?) -> Bool
}
