extension Credentials {
    /// A credential and the number of its changes.
    ///
    /// This value makes every decision about the credential, without a lock. `Credentials` keeps it
    /// in its `Locked` state.
    struct CredentialState {
        private(set) var credential: A.Credential?
        /// The number of changes so far. It distinguishes a credential from an earlier one, even if
        /// both are equal.
        private(set) var generation = 0

        init(_ credential: A.Credential?) {
            self.credential = credential
        }

        mutating func set(_ credential: A.Credential?) {
            self.credential = credential
            generation += 1
        }

        /// Returns the credential if a request must wait until it is refreshed, otherwise nil.
        ///
        /// - Parameters:
        ///   - rejected: The generation of the credential that the server rejected, or `nil`. The
        ///     rejection of an earlier generation does not affect the current credential.
        ///   - isStale: Whether the current credential must be refreshed before it is used.
        func toRefresh(
            afterRejected rejected: Int?, isStale: (A.Credential) -> Bool
        ) -> A.Credential? {
            credential.flatMap { rejected == generation || isStale($0) ? $0 : nil }
        }

        /// Stores the credential that a refresh returned, unless the credential was changed
        /// meanwhile.
        mutating func replace(_ refreshed: Int, with credential: A.Credential) -> Bool {
            guard refreshed == generation else { return false }
            set(credential)
            return true
        }
    }
}
