/// A credential, and what is known about it.
struct CredentialState<Credential: Sendable>: Sendable {
    private(set) var credential: Credential?
    /// The number of changes so far. It distinguishes a credential from an earlier one, even if
    /// both are equal.
    private(set) var generation = 0
    /// False until the first credential was loaded or set.
    private(set) var isLoaded: Bool
    var isSaved = true

    init(_ credential: Credential?, isLoaded: Bool) {
        (self.credential, self.isLoaded) = (credential, isLoaded)
    }

    mutating func set(_ credential: Credential?, isSaved: Bool) {
        (self.credential, self.isSaved, isLoaded) = (credential, isSaved, true)
        generation += 1
    }
}
